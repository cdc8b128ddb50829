-- Every version of these facts of a scope, in order, with its words.
--
-- Served by facts_of_delta.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule, f.form, f.text, f.tense, f.ended_by,
    upper_inf(f.recorded) AS open
FROM facts AS f
WHERE f.scope = %(scope)s AND f.fact = ANY(%(facts)s::uuid[]) AND f.predicate <> '_erased'
ORDER BY f.version
