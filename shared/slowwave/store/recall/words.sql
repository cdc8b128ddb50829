-- The words of a question in order, as stems, each with the forms in which the question writes the word. Then the stems
-- of the given other words, each with its word.
--
-- No table is read.
WITH words AS MATERIALIZED (
    SELECT (row_number() OVER (ORDER BY positions[1], lexeme))::int - 1 AS word, lexeme
    FROM unnest(to_tsvector('english', %(question)s))
    ORDER BY positions[1], lexeme
    LIMIT %(most_words)s
),
forms AS MATERIALIZED (
    SELECT form, (ts_lexize('english_stem', form))[1] AS lexeme FROM unnest(%(forms)s::text[]) AS asked (form)
)
SELECT
    word, lexeme,
    ARRAY(SELECT forms.form FROM forms WHERE forms.lexeme = words.lexeme ORDER BY forms.form) AS forms
FROM words
UNION ALL
SELECT NULL, (ts_lexize('english_stem', other))[1], ARRAY[other] FROM unnest(%(others)s::text[]) AS others (other)
ORDER BY word
