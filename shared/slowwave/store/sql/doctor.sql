-- Whether the installation works: days of audit partitions ahead, the age of the last tick, and what is due.
--
-- Served by the catalogue, processes (a row a process) and intents_due.
SELECT
    (SELECT count(*) FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
     WHERE h.inhparent = 'audit_log'::regclass AND c.relname > 'audit_log_' || to_char(slowwave_now(), 'YYYY_MM_DD')
       AND c.relname ~ '^audit_log_\d{4}_\d{2}_\d{2}$')::int AS days_ahead,
    (SELECT extract(epoch FROM slowwave_now() - max(seen)) FROM processes WHERE role = 'scheduler')::float8 AS ticked,
    count(*) AS due,
    coalesce(extract(epoch FROM slowwave_now() - min(due)), 0)::float8 AS waiting
FROM intents
WHERE due <= slowwave_now()
