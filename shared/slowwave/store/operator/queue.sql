-- The waiting jobs of a tenant, each with its name, the number of intents, and the latest time at which the first
-- intent starts. An intent starts when it is due, or when its scope has been idle for the idle time of a schedule. Work
-- that fires later does not count.
--
-- Intents are small and few, because done work has no intent. Heads are served by scope_heads_pkey.
SELECT i.job, count(*) AS number, min(least(i.due, h.touched + make_interval(secs => s.silence))) AS first
FROM intents i
LEFT JOIN scope_heads h ON h.scope = i.scope AND NOT i.hastened
LEFT JOIN
    (
        SELECT job, pack, min(seconds) AS silence
        FROM schedules
        WHERE kind = 'idle' AND NOT paused
        GROUP BY job, pack
    ) AS s
    ON s.job = i.job AND s.pack = i.pack
WHERE i.tenant = %(tenant)s AND i.state = 'pending' AND i.due < 'infinity'
GROUP BY i.job
ORDER BY i.job
