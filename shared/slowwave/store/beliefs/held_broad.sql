-- The open versions with one of these predicates, and those whose episode is at position *recent* or later.
--
-- Served by facts_open and facts_open_recent. Used only for claims that name no object or no predicate.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by
FROM facts f
WHERE f.scope = %(scope)s AND upper_inf(f.recorded) AND f.predicate = ANY(%(predicates)s::text[])
UNION
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid), upper(f.valid),
    f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by
FROM facts f
WHERE f.scope = %(scope)s AND upper_inf(f.recorded) AND f.position >= %(recent)s
