-- The languages of turns of these scopes that were not read, each with how many there are, the most first.
--
-- Served by unread_turns_pkey, and conversations by conversations_pkey. What has expired is left out.
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
