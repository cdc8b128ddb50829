-- Dead letters by category: those written in a night, and those that are open now.
--
-- Letters are few, and looked at whole.
SELECT
    category, count(*) FILTER (WHERE born >= %(since)s AND born < %(until)s) AS written,
    count(*) FILTER (WHERE state = 'open') AS open
FROM dead_letters
WHERE tenant = %(tenant)s
GROUP BY category
HAVING count(*) FILTER (WHERE born >= %(since)s AND born < %(until)s OR state = 'open') > 0
ORDER BY category
