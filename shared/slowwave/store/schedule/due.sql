-- The cron and interval schedules that are due, or have no first window yet, the longest overdue first.
--
-- One scan of schedules: a few rows per pack.
SELECT schedule
FROM schedules
WHERE kind IN ('cron', 'interval') AND NOT paused AND (next_due IS NULL OR next_due <= slowwave_now())
ORDER BY next_due NULLS FIRST, schedule
