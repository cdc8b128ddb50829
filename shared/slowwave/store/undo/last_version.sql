-- The last version of a fact, open or closed.
--
-- Served by facts_of_delta.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by
FROM facts f
WHERE f.fact = %(fact)s AND f.scope = %(scope)s
ORDER BY upper_inf(f.recorded) DESC, upper(f.recorded) DESC, lower(f.valid), f.version
LIMIT 1
