-- The goals, consensus and strategies that contain the given words, by scope, in the given scopes or in all.
--
-- One scan of each table, which are small.
SELECT scope, array_agg(memory) AS memories
FROM (
    SELECT scope, goal AS memory FROM goals WHERE description ILIKE %(like)s OR result ILIKE %(like)s
    UNION ALL
    SELECT scope, record FROM consensus
    WHERE topic ILIKE %(like)s OR statement ILIKE %(like)s OR reason ILIKE %(like)s OR metadata::text ILIKE %(like)s
    UNION ALL
    SELECT scope, strategy FROM strategies
    WHERE task ILIKE %(like)s OR description ILIKE %(like)s OR context_pattern ILIKE %(like)s
) AS found
WHERE %(scopes)s::uuid[] IS NULL OR scope = ANY(%(scopes)s::uuid[])
GROUP BY scope
ORDER BY scope
