-- When each of these scopes was born, nothing of one that is not there, and when it last believed anew; and the time.
--
-- Served by scope_heads_pkey and by the unique index of deltas, of which the last entry of each scope is read.
SELECT
    wanted.scope, h.born,
    (SELECT d.recorded FROM deltas AS d WHERE d.scope = h.scope ORDER BY d.recorded DESC LIMIT 1) AS believed,
    coalesce(%(now)s::timestamptz, slowwave_now()) AS now
FROM unnest(%(scopes)s::uuid[]) AS wanted (scope)
LEFT JOIN scope_heads AS h ON h.scope = wanted.scope
ORDER BY wanted.scope
