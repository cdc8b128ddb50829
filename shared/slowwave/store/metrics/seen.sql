-- The age of the last sign of life of each role, in seconds. Who polls ticks as well, and is a role of its own.
--
-- Processes are few, and forgotten after a while; acts as dispatch.
SELECT role, extract(EPOCH FROM (SELECT slowwave_now()) - max(seen))::float8 AS age
FROM (
    SELECT
        CASE WHEN split_part(process, '@', 1) IN ('poll', 'work') THEN 'poller' ELSE role END AS role, seen
    FROM processes
) AS each
GROUP BY role
ORDER BY role
