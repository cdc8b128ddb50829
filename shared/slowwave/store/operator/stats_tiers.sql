-- The number of memories on each tier, and the sum of their surprise. Entities have no tier.
--
-- The whole table is counted. The statement is for people, and no job runs it.
SELECT tier, count(*) AS memories, sum(surprise) AS surprise
FROM standing
WHERE tenant = %(tenant)s AND kind <> 'entity'
GROUP BY tier
ORDER BY tier;
