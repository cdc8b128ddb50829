-- The words of a question, in order, and what is put away of these scopes: a row a conversation, or one without any.
--
-- Served by conversations_hidden.
SELECT
    asked.words, away.scope, away.session,
    date_part('epoch', greatest(CASE WHEN NOT %(archived)s THEN away.archived END, away.tombstoned)) AS until
FROM (
    SELECT array_agg(lexeme ORDER BY first_at, lexeme) AS words
    FROM (
        SELECT lexeme, positions[1] AS first_at
        FROM unnest(to_tsvector('english', %(question)s))
        ORDER BY first_at, lexeme
        LIMIT %(most_words)s
    ) AS first
) AS asked
LEFT JOIN conversations AS away
    ON away.scope = ANY(%(scopes)s::uuid[]) AND (away.archived IS NOT NULL OR away.tombstoned IS NOT NULL)
ORDER BY away.scope, away.session
