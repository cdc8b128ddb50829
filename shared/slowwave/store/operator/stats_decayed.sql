-- Decay by day: memories whose strength was found lower, facts that were withdrawn, entities that faded.
--
-- Served by runs_finished (finished) WHERE outcome = 'ok'; entities are small, and all entities are counted.
SELECT date_trunc('day', at, 'UTC')::date AS day, what, sum(number)::bigint AS number
FROM (
    SELECT finished AS at, c.what, (r.counts ->> c.key)::bigint AS number
    FROM runs r, (VALUES ('refreshed', 'refreshed'), ('facts', 'withdrawn')) AS c (what, key)
    WHERE
        r.tenant = %(tenant)s AND r.job = 'decay' AND r.outcome = 'ok'
        AND r.finished > slowwave_now() - make_interval(days => %(days)s)
    UNION ALL
    SELECT faded, 'entities', 1 FROM entities
    WHERE tenant = %(tenant)s AND faded > slowwave_now() - make_interval(days => %(days)s)
) AS each
WHERE number > 0
GROUP BY day, what
ORDER BY day, what;
