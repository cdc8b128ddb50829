-- Ends a window that a run has read to its end; returns its number if it is still complete, whether it ends or not.
--
-- Served by model_windows_pkey.
UPDATE model_windows w
SET state = CASE WHEN %(hi)s >= w.hi THEN 'done' ELSE w.state END
WHERE w.model_window = %(model_window)s AND w.state = 'waiting' AND slowwave_complete(w.model_window)
