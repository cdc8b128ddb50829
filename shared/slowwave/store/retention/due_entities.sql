-- Entities that are due for a check, or all entities that are not tombstoned, with their standing. Entities under a
-- legal hold are left out.
--
-- Served by entities_due and standing_pkey.
SELECT s.*, e.name, e.faded, e.due
FROM entities e JOIN standing s ON s.scope = e.scope AND s.memory = e.entity
WHERE
    e.tenant = slowwave_tenant() AND e.slice = ANY(%(slices)s::smallint[]) AND e.tombstoned IS NULL
    AND (e.due <= %(now)s OR %(every)s)
    AND (e.scope, e.entity) > (%(scope)s, %(entity)s)
    AND NOT EXISTS (SELECT FROM slowwave_legal_holds(e.tenant, e.scope))
ORDER BY e.scope, e.entity
LIMIT %(most)s
