-- The lag of consolidation: seconds from the receipt of a window's last episode to the end of the run that read it.
--
-- For the last five minutes: the median and the maximum. Served by runs_pkey, backwards, and
-- episode_keys_scope_position_key; acts as dispatch.
WITH latest AS MATERIALIZED (
    SELECT scope, hi, finished, job, outcome FROM runs
    ORDER BY run DESC
    LIMIT %(most)s
), ended AS MATERIALIZED (
    SELECT scope, hi, finished FROM latest
    WHERE job = 'consolidate' AND outcome = 'ok' AND finished > (SELECT slowwave_now() - interval '5 minutes')
    LIMIT 500
)
SELECT
    percentile_disc(0.5) WITHIN GROUP (ORDER BY lag) AS half, max(lag) AS longest
FROM (
    SELECT extract(EPOCH FROM e.finished - k.received)::float8 AS lag
    FROM ended e JOIN episode_keys k ON k.scope = e.scope AND k.position = e.hi
) AS lags
HAVING count(*) > 0
