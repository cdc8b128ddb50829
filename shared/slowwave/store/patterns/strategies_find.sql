-- The strategies of the given scopes, each with its similarity to a task if the task's vector is given.
--
-- Served by strategies_pkey, one scope at a time: a scope has few strategies.
SELECT
    s.strategy AS id, h.tenant, h.user_id, h.agent, h.channel, s.task, s.description, s.context_pattern, s.tools,
    s.successes, s.failures,
    s.created, s.last_used, s.embedding::real[] AS embedding,
    (SELECT f.fact FROM facts f WHERE f.fact = s.fact AND upper_inf(f.recorded) LIMIT 1) AS fact,
    CASE WHEN e.name = %(space)s THEN greatest(0, 1 - (s.embedding <=> %(vector)b::vector)) END AS similarity
FROM strategies s
JOIN scope_heads h USING (scope)
LEFT JOIN embedding_spaces e USING (space)
WHERE s.scope = ANY(%(scopes)s::uuid[]) AND (%(strategy)s::uuid IS NULL OR s.strategy = %(strategy)s::uuid)
ORDER BY h.agent, h.channel, s.task, s.tools, s.strategy
