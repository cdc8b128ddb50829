-- The facts of at most five summaries, the latest first, whose words a model wrote and one of these *runs* stored. That
-- is the first run of the job after the reply.
--
-- Served by runs_pkey, model_summaries_pkey, model_replies_used, facts_summaries and runs_of_scope.
SELECT f.fact
FROM model_summaries AS t
JOIN model_replies AS a ON a.request = t.request AND a.n = 0
JOIN facts AS f ON (f.scope, f.subject) = (t.scope, t.about)
WHERE
    t.scope IN (SELECT r.scope FROM runs AS r WHERE r.run = ANY(%(runs)s::bigint[]))
    AND (%(scopes)s::uuid[] IS NULL OR t.scope = ANY(%(scopes)s::uuid[]))
    AND t.model IS NOT NULL AND f.predicate = 'summary' AND upper_inf(f.recorded) AND upper_inf(f.valid)
    AND (
        SELECT min(r.run) FROM runs AS r
        WHERE r.scope = t.scope AND r.job = 'retell' AND r.started >= a.kept
    ) = ANY(%(runs)s::bigint[])
ORDER BY a.kept DESC, f.fact
LIMIT 5
