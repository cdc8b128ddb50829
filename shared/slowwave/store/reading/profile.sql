-- The typed facts that are believed of the users of these scopes and so now, those told last first, at most so many.
-- A user goes by "user" and by the name that is *called* in the scope.
--
-- Served by facts_open_recent: what is believed in these scopes is looked at, and nothing else.
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
