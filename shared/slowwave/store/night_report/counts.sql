-- The counts of the runs of some nights, by night, job and name; with the number and duration of runs.
--
-- Served by runs_finished (finished) WHERE outcome = 'ok'.
SELECT
    floor(extract(EPOCH FROM r.finished - %(since)s) / 86400)::integer AS night, r.job, c.name,
    sum(c.number)::bigint AS number
FROM
    runs r CROSS JOIN
    LATERAL (
        SELECT each.key AS name, each.value::text::numeric AS number FROM jsonb_each(r.counts) AS each
        WHERE jsonb_typeof(each.value) = 'number'
        UNION ALL
        SELECT 'runs', 1
        UNION ALL
        SELECT 'milliseconds', extract(EPOCH FROM r.finished - r.started) * 1000
    ) AS c
WHERE r.tenant = %(tenant)s AND r.outcome = 'ok' AND r.finished >= %(since)s AND r.finished < %(until)s
GROUP BY night, r.job, c.name
ORDER BY night, r.job, c.name
