-- The number of waiting windows of a pack in a scope, without those of retried positions.
--
-- Served by model_windows_waiting.
SELECT count(*)
FROM model_windows
WHERE scope = %(scope)s AND pack = %(pack)s AND state = 'waiting' AND chosen IS NULL
