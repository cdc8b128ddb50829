-- The versions that a run closed, and those that it *opened* and left open.
--
-- Served by deltas_of_run; closed and opened versions by facts_of_delta, because each is of a fact that a delta of the
-- run made or replaced.
WITH told AS MATERIALIZED (
    SELECT d.id, d.recorded, d.replaces FROM deltas d WHERE d.run = %(run)s AND d.scope = %(scope)s
),
meant AS MATERIALIZED (
    SELECT DISTINCT fact FROM told CROSS JOIN LATERAL unnest(told.replaces || told.id) AS of (fact)
),
span AS (SELECT min(recorded) AS lo, max(recorded) AS hi FROM told)
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by, lower(f.recorded) >= span.lo AS opened
FROM meant
JOIN facts f USING (fact)
CROSS JOIN span
WHERE
    f.scope = %(scope)s
    AND (
        (lower(f.recorded) < span.lo AND upper(f.recorded) BETWEEN span.lo AND span.hi)
        OR (lower(f.recorded) BETWEEN span.lo AND span.hi AND (upper_inf(f.recorded) OR upper(f.recorded) > span.hi))
    )
ORDER BY f.version
