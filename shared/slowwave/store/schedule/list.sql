-- Every schedule, and when it last fired for any scope.
--
-- One scan of schedules, then of each schedule's range of firings_pkey.
SELECT
    s.schedule AS name, s.job, s.pack, s.kind, s.every, s.seconds, s.cron, s.zone, s.missed, s.paused,
    s.threshold, s.min_events, s.reference, s.rung AS tier, s.next_due,
    (SELECT max(f.fired) FROM firings f WHERE f.schedule = s.schedule) AS last_fired
FROM schedules s
ORDER BY s.schedule
