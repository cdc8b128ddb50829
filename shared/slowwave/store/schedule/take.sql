-- A due schedule, locked for this scheduler, with the present time. No row is returned if another scheduler has locked
-- or fired the schedule.
--
-- Served by schedules_pkey.
SELECT
    schedule AS name, job, pack, kind, every, seconds, cron, zone, missed, next_due, paused, threshold, min_events,
    reference, rung AS tier, slowwave_now() AS now
FROM schedules
WHERE
    schedule = %(schedule)s AND kind IN ('cron', 'interval') AND NOT paused
    AND (next_due IS NULL OR next_due <= slowwave_now())
FOR UPDATE SKIP LOCKED
