-- The words of a question in order, as stems, and a limited number of near words for each, with their weights.
--
-- No table is read. A word itself has weight 1; a near word that is also in the question counts only as itself. Each
-- word has the forms in which the question writes it.
WITH words AS MATERIALIZED (
    SELECT (row_number() OVER (ORDER BY positions[1], lexeme))::int - 1 AS word, lexeme
    FROM unnest(to_tsvector('english', %(question)s))
    ORDER BY positions[1], lexeme
    LIMIT %(most_words)s
),
forms AS MATERIALIZED (
    SELECT form, (ts_lexize('english_stem', form))[1] AS lexeme FROM unnest(%(forms)s::text[]) AS asked (form)
),
near_words AS MATERIALIZED (
    SELECT
        word, lexeme, max(weight) AS weight,
        row_number() OVER (PARTITION BY word ORDER BY max(weight) DESC, lexeme) AS place
    FROM (
        SELECT words.word, (ts_lexize('english_stem', near.near))[1] AS lexeme, near.weight
        FROM
            unnest(%(near_of)s::text[], %(near_words)s::text[], %(near_weights)s::float8[])
                AS near (word, near, weight)
        JOIN words ON words.lexeme = (ts_lexize('english_stem', near.word))[1]
    ) AS stemmed
    WHERE lexeme IS NOT NULL AND lexeme NOT IN (SELECT lexeme FROM words)
    GROUP BY word, lexeme
)
SELECT
    word, lexeme, 1.0::float8 AS weight,
    ARRAY(SELECT forms.form FROM forms WHERE forms.lexeme = words.lexeme ORDER BY forms.form) AS forms
FROM words
UNION ALL
SELECT word, lexeme, weight, ARRAY[]::text[] FROM near_words WHERE place <= %(most_near)s
ORDER BY word, weight DESC, lexeme
