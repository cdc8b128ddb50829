-- The crons and intervals whose next window lies ahead, and the time: a clock that was wrong may have put it too far.
--
-- One scan of schedules: a few rows a pack.
SELECT
    schedule AS name, job, pack, kind, every, seconds, cron, zone, missed, next_due, paused, threshold, min_events,
    reference, rung, slowwave_now() AS now
FROM schedules
WHERE kind IN ('cron', 'interval') AND NOT paused AND next_due > slowwave_now()
ORDER BY schedule
