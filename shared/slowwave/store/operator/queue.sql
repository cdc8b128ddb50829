-- Each job of a tenant that waits: its name, how often, and when the first goes at the latest: when it is due, or when
-- its scope has been silent for as long as a schedule of the job waits for. What fires later does not wait yet.
--
-- Intents are narrow and few: what is done is none any more. Heads are served by scope_heads_pkey.
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
