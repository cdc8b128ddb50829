-- The versions of a scope that are open, and those that were closed at *since* or later.
--
-- Served by facts_open; by deltas_scope_recorded_key and facts_of_delta for those closed.
WITH cut AS MATERIALIZED (
    SELECT DISTINCT unnest(d.replaces) AS fact FROM deltas d WHERE d.scope = %(scope)s AND d.recorded >= %(since)s
)
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule, f.form, f.text, f.tense, f.ended_by,
    lower(f.recorded) < %(since)s AS before, upper_inf(f.recorded) AS open
FROM facts f
WHERE f.scope = %(scope)s AND upper_inf(f.recorded)
UNION ALL
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid), upper(f.valid),
    f.confidence, f.position, f.session, f.rule, f.form, f.text, f.tense, f.ended_by,
    lower(f.recorded) < %(since)s, FALSE
FROM cut JOIN facts f USING (fact)
WHERE
    f.scope = %(scope)s AND NOT upper_inf(f.recorded) AND upper(f.recorded) >= %(since)s
    AND f.predicate <> '_erased'
ORDER BY version
