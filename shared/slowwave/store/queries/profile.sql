-- The typed facts believed and valid now about the users of these scopes, the most recent first, limited in number. The
-- subject is "user" or the name in *called* of the scope.
--
-- Served by facts_open_recent: only the open facts of these scopes are read.
WITH asked AS MATERIALIZED (SELECT slowwave_now() AS now)
SELECT held.fact
FROM unnest(%(scopes)s::uuid[], %(called)s::text[]) AS wanted (scope, called)
CROSS JOIN
    LATERAL (
        SELECT f.fact, f.position, f.version
        FROM facts AS f
        WHERE
            f.scope = wanted.scope AND upper_inf(f.recorded) AND f.form = 'typed' AND f.predicate <> 'summary'
            AND lower(f.subject) IN ('user', lower(wanted.called))
            AND f.valid @> (SELECT asked.now FROM asked)
        ORDER BY f.position DESC, f.version DESC
        LIMIT %(most)s
    ) AS held
ORDER BY held.position DESC, held.version DESC
LIMIT %(most)s
