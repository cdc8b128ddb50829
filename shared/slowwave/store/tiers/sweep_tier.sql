-- The standings of the memories on one tier of a scope, except those moved in this run.
--
-- Served by standing_pkey, whose part for the scope is read.
SELECT
    s.scope, s.memory, s.kind, s.source, s.tier, s.base, s.created, s.last_access, s.reinforced, s.access_count,
    s.accesses, s.frequency, s.surprise, s.successes, s.evidence, s.moved, s.pinned
FROM standing s
WHERE s.scope = %(scope)s AND s.tier = %(tier)s AND (s.moved IS NULL OR s.moved < %(now)s)
ORDER BY s.memory
