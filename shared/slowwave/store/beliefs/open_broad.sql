-- The open versions with one of these predicates, and the open versions whose episode is at position *recent* or later.
-- *late* is true if the pack has read late turns since that position. This is looked up only for claims that point back
-- (*pointing*).
--
-- Served by facts_open and facts_open_recent; and by runs_of_scope, backwards to the last window before *recent*, then
-- forwards from it: scopes are compared as rows, or the planner might walk the runs of all scopes. Used only for claims
-- that name no object or no predicate.
WITH window_before AS MATERIALIZED (
    SELECT
        coalesce(
            (
                SELECT r.run FROM runs AS r
                WHERE
                    r.scope <= %(scope)s AND (r.scope, r.run) >= (%(scope)s, 0) AND r.pack = %(pack)s
                    AND r.job = 'consolidate' AND r.outcome = 'ok' AND r.hi < %(recent)s
                ORDER BY r.scope DESC, r.run DESC
                LIMIT 1
            ),
            0
        ) AS run
    WHERE %(pointing)s::boolean
),
read_late AS MATERIALIZED (
    SELECT count(*) > 0 AS found
    FROM window_before AS w
    JOIN runs AS r ON r.scope <= %(scope)s AND (r.scope, r.run) > (%(scope)s, w.run)
    WHERE r.pack = %(pack)s AND r.outcome = 'ok' AND r.counts ? 'late'
)
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by, (SELECT found FROM read_late) AS late
FROM facts f
WHERE f.scope = %(scope)s AND upper_inf(f.recorded) AND f.predicate = ANY(%(predicates)s::text[])
UNION
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid), upper(f.valid),
    f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by, (SELECT found FROM read_late) AS late
FROM facts f
WHERE f.scope = %(scope)s AND upper_inf(f.recorded) AND f.position >= %(recent)s
