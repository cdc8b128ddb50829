-- The next waiting window to apply, if it waits for no reply. The window after the watermark comes first, then windows
-- of retried positions.
--
-- Served by model_windows_waiting. If a window is named, only that window is returned, or nothing.
SELECT
    w.model_window, CASE WHEN w.chosen IS NULL THEN m.position + 1 ELSE w.lo END AS lo, w.hi, w.chosen, m.position,
    m.suspect, m.newest
FROM model_windows w
JOIN watermarks m USING (scope, pack)
WHERE
    w.scope = %(scope)s AND w.pack = %(pack)s AND w.state = 'waiting'
    AND (w.chosen IS NOT NULL OR m.position + 1 BETWEEN w.lo AND w.hi)
    AND (%(model_window)s::bigint IS NULL OR w.model_window = %(model_window)s)
    AND slowwave_complete(w.model_window)
ORDER BY w.chosen IS NOT NULL, w.model_window
LIMIT 1
