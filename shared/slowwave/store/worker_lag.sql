-- Seconds that the oldest due work of all tenants has waited, and since the scheduler last completed a tick.
--
-- Served by intents_due (due, intent), and a scan of processes, of which there are few.
SELECT
    coalesce((
        SELECT extract(EPOCH FROM slowwave_now() - min(due)) FROM intents
        WHERE state = 'pending' AND due <= slowwave_now()
    ), 0)::float8 AS lag_seconds,
    (SELECT extract(EPOCH FROM slowwave_now() - max(seen)) FROM processes WHERE role = 'scheduler')::float8
        AS ticked_seconds_ago;
