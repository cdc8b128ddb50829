-- The schedules of some packs, as they were registered.
--
-- One scan of schedules: a few rows a pack.
SELECT schedule AS name, job, pack, kind, every, seconds, cron, zone, missed, threshold, min_events, reference, rung
FROM schedules
WHERE pack = ANY(%(packs)s)
ORDER BY schedule
