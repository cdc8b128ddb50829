-- The number of tier moves of each of the last days, by source and target tier.
--
-- Served by tier_moves_at (tenant, at).
SELECT (at AT TIME ZONE 'UTC')::date AS day, from_tier, to_tier, count(*) AS moves
FROM tier_moves
WHERE
    tenant = %(tenant)s
    AND at >= date_trunc('day', slowwave_now(), 'UTC') - make_interval(days => %(days)s - 1)
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3;
