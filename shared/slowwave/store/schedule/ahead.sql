-- The cron and interval schedules with a next window in the future, and the present time. A wrong clock may have set
-- the window too late.
--
-- One scan of schedules: a few rows per pack.
SELECT
    schedule AS name, job, pack, kind, every, seconds, cron, zone, missed, next_due, paused, threshold, min_events,
    reference, rung AS tier, slowwave_now() AS now
FROM schedules
WHERE kind IN ('cron', 'interval') AND NOT paused AND next_due > slowwave_now()
ORDER BY schedule
