-- Open dead letters of a tenant by category, counted up to a limit.
--
-- There are few dead letters, so all are read.
SELECT category, count(*) AS number
FROM (SELECT category FROM dead_letters WHERE tenant = %(tenant)s AND state = 'open' LIMIT %(most)s) AS open
GROUP BY category
