-- The age of the last sign of life of each role, in seconds. A polling worker also ticks, and is a role of its own.
--
-- There are few processes, and old ones are deleted; acts as dispatch.
SELECT role, extract(EPOCH FROM (SELECT slowwave_now()) - max(seen))::float8 AS age
FROM (
    SELECT
        CASE WHEN split_part(process, '@', 1) IN ('poll', 'work') THEN 'poller' ELSE role END AS role, seen
    FROM processes
) AS each
GROUP BY role
ORDER BY role
