-- The open versions, valid after a given time, of beliefs with one of these words, and of beliefs older than the table
-- of words.
--
-- Served by belief_words_pkey or beliefs_wordless, then facts_open. Used only for reported changes.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by
FROM belief_words w
JOIN facts f ON f.scope = w.scope AND f.belief = w.belief AND upper_inf(f.recorded)
WHERE
    w.scope = %(scope)s AND w.word = ANY(%(words)s::bigint[])
    AND (upper_inf(f.valid) OR upper(f.valid) > %(since)s)
UNION
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid),
    upper(f.valid), f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by
FROM beliefs b
JOIN facts f ON f.scope = b.scope AND f.belief = b.belief AND upper_inf(f.recorded)
WHERE b.scope = %(scope)s AND NOT b.worded AND (upper_inf(f.valid) OR upper(f.valid) > %(since)s)
