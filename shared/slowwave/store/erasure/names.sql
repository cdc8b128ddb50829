-- The texts outside of episodes and facts in the given scopes or in all: of goals, consensus and strategies, of models,
-- of the tree of summaries, and the names of conversations and tools. Their places are erased by the *names*.
--
-- One scan of each table: people ask for this, and rarely. The first message of a request is Slowwave's own.
SELECT scope, place, names, texts
FROM (
    SELECT scope, 'memory' AS place, ARRAY[goal::text] AS names, jsonb_build_array(description, result) AS texts
    FROM goals
    UNION ALL
    SELECT scope, 'memory', ARRAY[record::text], jsonb_build_array(topic, statement, agents, reason, metadata)
    FROM consensus
    UNION ALL
    SELECT scope, 'memory', ARRAY[strategy::text], jsonb_build_array(task, description, context_pattern, tools)
    FROM strategies
    UNION ALL
    SELECT scope, 'session', ARRAY[session], to_jsonb(session) FROM conversations
    UNION ALL
    SELECT scope, 'call', ARRAY[task, tool], jsonb_build_array(task, tool) FROM tool_stats
    UNION ALL
    SELECT scope, 'tree', '{}', to_jsonb(text) FROM tree_nodes
    UNION ALL
    SELECT scope, 'request', ARRAY[coalesce(request, about)], jsonb_path_query_array(lines, '$[*].text')
    FROM model_summaries
    UNION ALL
    SELECT scope, 'request', ARRAY[request], jsonb_path_query_array(said, '$.*') FROM model_rejected
    UNION ALL
    SELECT
        scope, 'request', ARRAY[request],
        jsonb_build_array(jsonb_path_query_array(p.words, '$.messages[1 to last].content'), y.raw, y.complaint)
    FROM model_requests LEFT JOIN model_payloads AS p USING (request) LEFT JOIN model_replies AS y USING (request)
) AS known
WHERE %(scopes)s::uuid[] IS NULL OR scope = ANY(%(scopes)s::uuid[])
