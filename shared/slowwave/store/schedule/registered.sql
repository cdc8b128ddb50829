-- The registered schedules of some packs.
--
-- One scan of schedules: a few rows per pack.
SELECT
    schedule AS name, job, pack, kind, every, seconds, cron, zone, missed, threshold, min_events, reference,
    rung AS tier
FROM schedules
WHERE pack = ANY(%(packs)s)
ORDER BY schedule
