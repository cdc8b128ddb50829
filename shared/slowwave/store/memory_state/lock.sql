-- The standing of these memories, each locked, in the order of the input, which is by id.
--
-- One lookup each by standing_pkey: for a join, the planner would scan a table that has just begun to grow.
SELECT
    s.scope, s.memory, s.kind, s.source, s.tier, s.base, s.created, s.last_access, s.reinforced, s.access_count,
    s.accesses, s.frequency, s.surprise, s.successes, s.evidence, s.moved, s.pinned
FROM
    unnest(%(scopes)s::uuid[], %(memories)s::uuid[]) AS wanted (scope, memory)
CROSS JOIN LATERAL (
    SELECT * FROM standing AS held
    WHERE held.scope = wanted.scope AND held.memory = wanted.memory
    FOR UPDATE
) AS s
