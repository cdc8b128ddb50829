-- Ends a window if a run has read it to the end. Returns the window's number if the window is still complete, even if
-- it does not end.
--
-- Served by model_windows_pkey.
UPDATE model_windows w
SET state = CASE WHEN %(hi)s >= w.hi THEN 'done' ELSE w.state END
WHERE w.model_window = %(model_window)s AND w.state = 'waiting' AND slowwave_complete(w.model_window)
