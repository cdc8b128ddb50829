-- The open versions of a scope's facts that are valid at a time. Erased facts are left out.
--
-- Served by facts_open.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by
FROM facts f
WHERE
    f.scope = %(scope)s AND upper_inf(f.recorded) AND f.valid @> %(at)s::timestamptz AND f.predicate <> '_erased'
ORDER BY f.subject, f.predicate, f.object, lower(f.valid), f.version
