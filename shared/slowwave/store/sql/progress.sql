-- What a worker and the scheduler have to show: ages in seconds, and the worker's runs under a live lease.
--
-- Served by processes_pkey, runs_pkey (the latest runs only), runs_one_running and intents_due. %(runs)s is a LIKE
-- pattern for the owners of the worker's runs.
WITH latest AS (
    SELECT owner, greatest(started, finished) AS moved FROM runs ORDER BY run DESC LIMIT 100
)
SELECT
    extract(epoch FROM slowwave_now() - greatest(
        (SELECT seen FROM processes WHERE process = %(worker)s),
        (SELECT max(moved) FROM latest WHERE owner LIKE %(runs)s)))::float8 AS worker_seen,
    (SELECT count(*) FROM runs r JOIN scope_leases l USING (scope)
     WHERE r.finished IS NULL AND r.owner LIKE %(runs)s AND l.fence = r.fence AND l.until > slowwave_now()) AS working,
    coalesce((SELECT extract(epoch FROM slowwave_now() - i.due) FROM intents i JOIN scope_leases l USING (scope)
              WHERE i.due <= slowwave_now() AND (l.until IS NULL OR l.until < slowwave_now())
              ORDER BY i.due, i.intent LIMIT 1), 0)::float8 AS waiting,
    (SELECT extract(epoch FROM slowwave_now() - max(seen)) FROM processes
     WHERE role = 'scheduler' AND split_part(process, '@', 1) NOT IN ('poll', 'work'))::float8 AS ticked
