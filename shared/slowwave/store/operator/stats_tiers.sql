-- The number of memories on each tier, and the sum of their surprise. Entities have no tier.
--
-- A count of the whole table, for people to read.
SELECT tier, count(*) AS memories, sum(surprise) AS surprise
FROM standing
WHERE tenant = %(tenant)s AND kind <> 'entity'
GROUP BY tier
ORDER BY tier;
