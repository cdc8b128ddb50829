-- What is due of a slice after a place in the list, oldest first; what a legal hold covers does not fade.
--
-- Served by standing_decay_due. Others' rows are left for the next time.
SELECT s.ctid AS place, s.scope, s.memory, s.kind, s.tier, s.source, s.base, s.created, s.last_access, s.reinforced,
    s.access_count, s.pinned, s.decay_due
FROM standing s
WHERE s.tenant = slowwave_tenant() AND s.slice = %(slice)s AND s.decay_due <= %(now)s
    AND (s.decay_due, s.scope, s.memory) > (%(due)s, %(scope)s, %(memory)s)
    AND NOT EXISTS (SELECT FROM slowwave_holds(s.tenant, s.scope))
ORDER BY s.decay_due, s.scope, s.memory
LIMIT %(most)s
FOR UPDATE OF s SKIP LOCKED
