-- Each of the last days on which runs came through: how many did, and what they wrote together, by name.
--
-- Served by runs_finished (finished) WHERE outcome = 'ok'; runs are few beside what they read.
WITH ended AS MATERIALIZED (
    SELECT (finished AT TIME ZONE 'UTC')::date AS day, counts
    FROM runs
    WHERE
        outcome = 'ok' AND tenant = %(tenant)s
        AND finished >= date_trunc('day', slowwave_now(), 'UTC') - make_interval(days => %(days)s - 1)
),
written AS (
    SELECT e.day, c.name, sum(c.number::bigint) AS number
    FROM ended AS e CROSS JOIN LATERAL jsonb_each_text(e.counts) AS c (name, number)
    GROUP BY e.day, c.name
)
SELECT
    e.day, count(*) AS runs,
    (SELECT jsonb_object_agg(w.name, w.number) FROM written AS w WHERE w.day = e.day) AS counts
FROM ended AS e
GROUP BY e.day
ORDER BY e.day;
