-- Each job of a tenant that waits: its name, how often, and since when the first. What fires later does not wait yet.
--
-- Intents are narrow and few: what is done is none any more.
SELECT job, count(*) AS number, min(due) AS first
FROM intents
WHERE tenant = %(tenant)s AND state = 'pending' AND due < 'infinity'
GROUP BY job
ORDER BY job
