-- The open versions of some facts of a scope.
--
-- Served by facts_of_delta.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by
FROM facts f
WHERE f.fact = ANY(%(facts)s::uuid[]) AND f.scope = %(scope)s AND upper_inf(f.recorded)
ORDER BY f.fact, lower(f.valid), f.version
