-- The number of scopes of the tenant that a pack has read and in which a version of the pack reads as a canary.
--
-- One scan of the tenant's watermarks; used only to show a canary.
SELECT count(*)
FROM watermarks w
JOIN scope_heads h USING (scope)
WHERE w.pack = %(pack)s AND w.position > 0 AND slowwave_canary(w.scope, w.pack) = %(version)s
