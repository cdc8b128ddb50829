-- The number of tier moves of the last hour, by source and target tier.
--
-- Served by tier_moves_at (tenant, at).
SELECT from_tier, to_tier, count(*) AS moves
FROM tier_moves
WHERE tenant = %(tenant)s AND at > slowwave_now() - interval '1 hour'
GROUP BY from_tier, to_tier;
