-- The names of conversations and tools, the texts that models read and wrote, and the tree of summaries, in the given
-- scopes or in all. Each row has the *names* by which its place is erased.
--
-- One scan of each table: people ask for this, and rarely. The first message of a request is Slowwave's own.
SELECT scope, place, names, texts
FROM (
    SELECT scope, 'session' AS place, ARRAY[session] AS names, to_jsonb(session) AS texts FROM conversations
    UNION ALL
    SELECT scope, 'call', ARRAY[task, tool], jsonb_build_array(task, tool) FROM tool_stats
    UNION ALL
    SELECT scope, 'tree', '{}'::text[], to_jsonb(text) FROM tree_nodes
    UNION ALL
    SELECT scope, 'request', ARRAY[coalesce(request, about)], jsonb_path_query_array(lines, '$[*].text')
    FROM model_summaries
    UNION ALL
    SELECT scope, 'request', ARRAY[request], jsonb_path_query_array(said, '$.*') FROM model_rejected
    UNION ALL
    SELECT scope, 'request', ARRAY[request], jsonb_build_array(raw, complaint)
    FROM model_requests JOIN model_replies USING (request)
    UNION ALL
    SELECT scope, 'request', ARRAY[request], jsonb_path_query_array(words, '$.messages[1 to last].content')
    FROM model_requests JOIN model_payloads USING (request)
) AS known
WHERE %(scopes)s::uuid[] IS NULL OR scope = ANY(%(scopes)s::uuid[])
