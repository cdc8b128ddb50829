-- The number of windows of a pack that wait in a scope, without those of retried positions.
--
-- Served by model_windows_waiting.
SELECT count(*)
FROM model_windows
WHERE scope = %(scope)s AND pack = %(pack)s AND state = 'waiting' AND chosen IS NULL
