-- The languages of unread turns of these scopes, each with its number of turns, the most frequent first.
--
-- Served by unread_turns_pkey, and conversations by conversations_pkey. Expired turns are left out.
SELECT u.language, count(*) AS turns
FROM unread_turns AS u
WHERE
    u.scope = ANY(%(scopes)s::uuid[])
    AND NOT EXISTS (
        SELECT FROM conversations AS c
        WHERE c.scope = u.scope AND c.session = u.session AND u.received <= c.tombstoned
    )
GROUP BY u.language
ORDER BY turns DESC, u.language
