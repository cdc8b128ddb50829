-- The standing of the memories on one rung of a scope, but for what moved in this run.
--
-- Served by standing_pkey, whose scope it reads whole.
SELECT
    s.scope, s.memory, s.kind, s.source, s.tier, s.base, s.created, s.last_access, s.reinforced, s.access_count,
    s.accesses, s.frequency, s.surprise, s.successes, s.evidence, s.moved, s.pinned
FROM standing s
WHERE s.scope = %(scope)s AND s.tier = %(tier)s AND (s.moved IS NULL OR s.moved < %(now)s)
ORDER BY s.memory
