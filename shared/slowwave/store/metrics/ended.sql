-- The latest runs that ended in the last five minutes, by job and outcome, with the deltas and episodes they counted.
--
-- Served by runs_pkey, backwards, for a limited number of runs; acts as dispatch.
SELECT
    job, outcome, count(*) AS runs, sum(extract(EPOCH FROM finished - started))::float8 AS seconds,
    sum((counts ->> 'add')::bigint) AS "add", sum((counts ->> 'update')::bigint) AS "update",
    sum((counts ->> 'delete')::bigint) AS "delete", sum((counts ->> 'noop')::bigint) AS "noop",
    sum((counts ->> 'episodes')::bigint) AS episodes
FROM (
    SELECT job, outcome, started, finished, counts FROM runs
    ORDER BY run DESC
    LIMIT %(most)s
) AS latest
WHERE finished > (SELECT slowwave_now() - interval '5 minutes')
GROUP BY job, outcome
ORDER BY job, outcome
