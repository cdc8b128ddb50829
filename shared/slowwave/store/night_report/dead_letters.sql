-- Dead letters by category: those written in a night, and those open now.
--
-- There are few dead letters, so all are read.
SELECT
    category, count(*) FILTER (WHERE born >= %(since)s AND born < %(until)s) AS written,
    count(*) FILTER (WHERE state = 'open') AS open
FROM dead_letters
WHERE tenant = %(tenant)s
GROUP BY category
HAVING count(*) FILTER (WHERE born >= %(since)s AND born < %(until)s OR state = 'open') > 0
ORDER BY category
