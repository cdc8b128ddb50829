-- The record of a scope's tools, in one kind of task or in all, the most used first.
--
-- Served by tool_stats_pkey.
SELECT
    tool AS name, sum(calls)::bigint AS usage_count, sum(successes)::bigint AS success_count,
    sum(latency_ms) / sum(calls) AS avg_latency_ms, max(last_used) AS last_used, jsonb_object_agg(task, calls) AS tasks
FROM tool_stats
WHERE scope = %(scope)s AND (%(task)s::text IS NULL OR task = %(task)s::text)
GROUP BY tool
ORDER BY usage_count DESC, name
