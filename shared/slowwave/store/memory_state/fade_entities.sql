-- Marks entities as below their floor since now, unless they are marked already.
--
-- Served by entities_pkey, with one lookup per entity, whatever the planner expects.
UPDATE entities AS e
SET faded = slowwave_now()
FROM (
    SELECT
        f.scope,
        f.entity
    FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS f (scope, entity)
    CROSS JOIN
        LATERAL (
            SELECT FROM entities AS o
            WHERE o.scope = f.scope AND o.entity = f.entity AND o.faded IS NULL AND o.tombstoned IS NULL
            OFFSET 0
        ) AS there
) AS fallen
WHERE e.scope = fallen.scope AND e.entity = fallen.entity
