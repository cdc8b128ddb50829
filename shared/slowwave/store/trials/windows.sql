-- The windows of a pack that were planned in a scope, in order; those of retried positions are left out.
--
-- Served by model_windows_scope_pack_lo_key.
SELECT lo, hi FROM model_windows
WHERE scope = %(scope)s AND pack = %(pack)s AND chosen IS NULL
ORDER BY lo, hi
