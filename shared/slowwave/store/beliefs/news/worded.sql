-- The open versions, valid after a given time, of beliefs with one of these words, and of beliefs older than the table
-- of words.
--
-- Served by belief_words_pkey or beliefs_wordless, then facts_open. Used only for reported changes. OFFSET keeps the
-- order of the joins, because another order is quadratic, and Postgres may prefer it for a table without statistics.
SELECT f.*
FROM (
    SELECT belief FROM belief_words WHERE scope = %(scope)s AND word = ANY(%(words)s::bigint[])
    UNION
    SELECT belief FROM beliefs WHERE scope = %(scope)s AND NOT worded
) AS found
CROSS JOIN
    LATERAL (
        SELECT
            f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
            upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
            f.form, f.text, f.tense, f.ended_by
        FROM facts AS f
        WHERE
            f.scope = %(scope)s AND f.belief = found.belief AND upper_inf(f.recorded)
            AND (upper_inf(f.valid) OR upper(f.valid) > %(since)s)
        OFFSET 0
    ) AS f
ORDER BY f.version
