-- The texts of all goals, consensus and strategies in the given scopes or in all.
--
-- One scan of each table, which are small.
SELECT scope, memory, texts
FROM (
    SELECT scope, goal AS memory, jsonb_build_array(description, coalesce(result, '')) AS texts FROM goals
    UNION ALL
    SELECT scope, record, jsonb_build_array(topic, statement, agents, reason, metadata) FROM consensus
    UNION ALL
    SELECT scope, strategy, jsonb_build_array(task, description, context_pattern, tools) FROM strategies
) AS known
WHERE %(scopes)s::uuid[] IS NULL OR scope = ANY(%(scopes)s::uuid[])
