-- Each waiting job of a tenant: its name, how many intents, and when the first one starts at the latest: when it is
-- due, or when its scope has been idle for as long as a schedule of the job says. Work that fires later does not count.
--
-- Intents are small and few, as done work has none. Heads are served by scope_heads_pkey.
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
