-- The due memories of a slice, after a cursor, oldest first, without those under a legal hold.
--
-- Served by standing_sweep_due. Rows that other transactions have locked are left for the next run.
SELECT
    s.scope, s.memory, s.kind, s.source, s.tier, s.base, s.created, s.last_access, s.reinforced, s.access_count,
    s.accesses, s.frequency, s.surprise, s.successes, s.evidence, s.moved, s.pinned, s.sweep_due
FROM standing s
WHERE
    s.tenant = slowwave_tenant() AND s.slice = %(slice)s AND s.sweep_due <= %(now)s
    AND (s.sweep_due, s.scope, s.memory) > (%(due)s, %(scope)s, %(memory)s)
    AND NOT EXISTS (SELECT FROM slowwave_legal_holds(s.tenant, s.scope))
ORDER BY s.sweep_due, s.scope, s.memory
LIMIT %(most)s
FOR UPDATE OF s SKIP LOCKED
