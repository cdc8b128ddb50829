-- Stores an order to undo: one row per scope, the claims that the order leaves out, and the claims that a replay adds
-- in each scope.
--
-- Guarded by undos_pkey and undone_pkey.
WITH more AS (
    SELECT scope, array_agg(claim ORDER BY place) AS claims
    FROM unnest(%(added_of)s::uuid[], %(added)s::uuid[]) WITH ORDINALITY AS added (scope, claim, place)
    GROUP BY scope
),
ordered AS (
    INSERT INTO undos (scope, undo, tenant, what, reason, by_whom, withdraws, added)
    SELECT
        scope, %(undo)s, slowwave_tenant(), %(what)s, %(reason)s, %(by)s, %(withdraws)s::uuid,
        CASE WHEN %(replays)s THEN coalesce(more.claims, '{}') END
    FROM unnest(%(scopes)s::uuid[]) AS asked (scope)
    LEFT JOIN more USING (scope)
)
INSERT INTO undone (scope, undo, delta, tenant, place)
SELECT scope, %(undo)s, delta, slowwave_tenant(), place
FROM unnest(%(of)s::uuid[], %(deltas)s::uuid[], %(places)s::timestamptz[]) AS claims (scope, delta, place)
