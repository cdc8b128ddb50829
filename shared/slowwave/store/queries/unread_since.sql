-- The languages of a tenant's unread turns from the last days, the most frequent first.
--
-- Served by unread_turns_received; the time is read once, in a subquery, so that the index serves.
SELECT language, count(*) AS turns
FROM unread_turns
WHERE tenant = %(tenant)s AND received > (SELECT slowwave_now() - make_interval(days => %(days)s))
GROUP BY language
ORDER BY turns DESC, language
