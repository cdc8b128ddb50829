-- Open dead letters of a tenant by category: at most so many are counted.
--
-- Letters are few, and looked at whole.
SELECT category, count(*) AS number
FROM (SELECT category FROM dead_letters WHERE tenant = %(tenant)s AND state = 'open' LIMIT %(most)s) AS open
GROUP BY category
