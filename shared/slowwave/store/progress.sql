-- The progress of a worker and of the scheduler: the seconds since the last sign of life of each, and the number of the
-- worker's runs under a live lease.
--
-- Served by processes_pkey, runs_pkey (the latest runs only) and runs_one_running. %(runs)s is a LIKE pattern for the
-- owners of the worker's runs. A polling worker ticks too, but does not count as the scheduler.
WITH latest AS (
    SELECT owner, greatest(started, finished) AS moved FROM runs ORDER BY run DESC LIMIT 100
)
SELECT
    extract(EPOCH FROM slowwave_now() - greatest(
        (SELECT seen FROM processes WHERE process = %(worker)s),
        (SELECT max(moved) FROM latest WHERE owner LIKE %(runs)s)
    ))::float8 AS worker_seen,
    (
        SELECT count(*) FROM runs r JOIN scope_leases l USING (scope)
        WHERE r.finished IS NULL AND r.owner LIKE %(runs)s AND l.fence = r.fence AND l.until > slowwave_now()
    ) AS working,
    (
        SELECT extract(EPOCH FROM slowwave_now() - max(seen)) FROM processes
        WHERE role = 'scheduler' AND split_part(process, '@', 1) NOT IN ('poll', 'work')
    )::float8 AS ticked
