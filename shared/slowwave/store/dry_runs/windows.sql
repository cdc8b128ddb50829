-- The planned windows of a pack in a scope, in order, except those of retried positions.
--
-- Served by model_windows_scope_pack_lo_key.
SELECT lo, hi FROM model_windows
WHERE scope = %(scope)s AND pack = %(pack)s AND chosen IS NULL
ORDER BY lo, hi
