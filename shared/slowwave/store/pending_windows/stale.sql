-- The oldest waiting window of a pack that must be planned again, from the watermark on. No row is returned if there is
-- no such window.
--
-- Served by model_windows_waiting.
SELECT
    w.model_window, CASE WHEN w.chosen IS NULL THEN greatest(w.lo, m.position + 1) ELSE w.lo END AS lo, w.hi, w.chosen
FROM model_windows w
JOIN watermarks m USING (scope, pack)
WHERE w.scope = %(scope)s AND w.pack = %(pack)s AND w.state = 'waiting' AND w.stale
ORDER BY w.model_window
LIMIT 1
