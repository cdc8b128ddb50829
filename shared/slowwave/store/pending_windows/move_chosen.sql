-- Moves a window of retried positions past the positions that a run has read. Changes no row if the window is
-- elsewhere.
--
-- Served by model_windows_pkey.
UPDATE model_windows w
SET
    lo = coalesce((SELECT min(p) FROM unnest(w.chosen) AS p WHERE p > %(hi)s), w.hi + 1),
    state = CASE WHEN %(hi)s >= w.hi THEN 'done' ELSE w.state END
WHERE w.model_window = %(model_window)s AND w.state = 'waiting' AND w.lo = %(lo)s AND slowwave_complete(w.model_window)
