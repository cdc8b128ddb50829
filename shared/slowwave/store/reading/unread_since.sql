-- The languages of turns of a tenant that came within so many days and were not read, the most first.
--
-- Served by unread_turns_received; the time is asked for once, in a subquery, or the index would not serve.
SELECT language, count(*) AS turns
FROM unread_turns
WHERE tenant = %(tenant)s AND received > (SELECT slowwave_now() - make_interval(days => %(days)s))
GROUP BY language
ORDER BY turns DESC, language
