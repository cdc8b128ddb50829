-- The summaries of these sessions.
--
-- Served by facts_summaries.
SELECT f.scope, f.fact
FROM facts AS f
JOIN unnest(%(scopes)s::uuid[], %(sessions)s::text[]) AS s (scope, session) USING (scope, session)
WHERE f.predicate = 'summary' AND upper_inf(f.recorded) AND upper_inf(f.valid)
ORDER BY f.scope, f.fact
