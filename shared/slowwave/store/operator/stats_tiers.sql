-- Memories on each tier, and how surprising they were together. Entities stand on no ladder.
--
-- A count of the whole table, for people.
SELECT tier, count(*) AS memories, sum(surprise) AS surprise
FROM standing
WHERE tenant = %(tenant)s AND kind <> 'entity'
GROUP BY tier
ORDER BY tier;
