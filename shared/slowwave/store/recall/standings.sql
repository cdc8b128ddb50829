-- The standings of these memories; memories without a standing are left out. Nothing is locked, because nothing is
-- changed.
--
-- Served by standing_pkey.
SELECT
    s.scope, s.memory, s.kind, s.source, s.tier, s.base, s.created, s.last_access, s.reinforced, s.access_count,
    s.accesses, s.frequency, s.surprise, s.successes, s.evidence, s.moved, s.pinned
FROM unnest(%(scopes)s::uuid[], %(memories)s::uuid[]) AS wanted (scope, memory)
JOIN standing s ON s.scope = wanted.scope AND s.memory = wanted.memory
ORDER BY s.scope, s.memory
