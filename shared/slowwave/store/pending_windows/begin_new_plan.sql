-- Begins another plan of a waiting window.
--
-- Served by model_windows_pkey.
UPDATE model_windows
SET plan = plan + 1, stale = false, edition = %(edition)s
WHERE model_window = %(model_window)s AND state = 'waiting'
