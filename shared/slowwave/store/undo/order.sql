-- Stores an order to undo: one row per scope, the claims that the order leaves out, and the claims that a replay adds.
--
-- Guarded by undos_pkey and undone_pkey.
WITH ordered AS (
    INSERT INTO undos (scope, undo, tenant, what, reason, by_whom, withdraws, added)
    SELECT scope, %(undo)s, slowwave_tenant(), %(what)s, %(reason)s, %(by)s, %(withdraws)s::uuid, %(added)s::uuid[]
    FROM unnest(%(scopes)s::uuid[]) AS asked (scope)
)
INSERT INTO undone (scope, undo, delta, tenant, place)
SELECT scope, %(undo)s, delta, slowwave_tenant(), place
FROM unnest(%(of)s::uuid[], %(deltas)s::uuid[], %(places)s::timestamptz[]) AS claims (scope, delta, place)
