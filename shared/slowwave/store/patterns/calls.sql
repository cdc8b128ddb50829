-- Adds a run's calls to the records of tools.
--
-- Served by tool_stats_pkey.
INSERT INTO tool_stats AS t (scope, tool, task, tenant, calls, successes, latency_ms, last_used)
SELECT %(scope)s, tool, task, slowwave_tenant(), count(*), count(*) FILTER (WHERE success), sum(latency_ms), max(at)
FROM
    unnest(
        %(tools)s::text[], %(tasks)s::text[], %(successes)s::boolean[], %(latencies)s::float8[], %(ats)s::timestamptz[]
    ) WITH ORDINALITY AS new (tool, task, success, latency_ms, at, ordinal)
GROUP BY tool, task
ORDER BY tool, task
ON CONFLICT (scope, tool, task) DO UPDATE
    SET
        calls = t.calls + excluded.calls,
        successes = t.successes + excluded.successes,
        latency_ms = t.latency_ms + excluded.latency_ms,
        last_used = greatest(t.last_used, excluded.last_used)
