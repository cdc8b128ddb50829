-- The health of the installation: days of audit partitions ahead, the age of the last tick, and due work.
--
-- Served by the catalogue, processes (one row per process) and intents_due.
SELECT
    (SELECT count(*) FROM slowwave_partitions() WHERE parent = 'audit_log' AND lo > slowwave_now())::int AS days_ahead,
    (SELECT extract(EPOCH FROM slowwave_now() - max(seen)) FROM processes WHERE role = 'scheduler')::float8 AS ticked,
    count(*) AS due,
    coalesce(extract(EPOCH FROM slowwave_now() - min(due)), 0)::float8 AS waiting
FROM intents
WHERE due <= slowwave_now()
