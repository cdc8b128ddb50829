-- Every predicate of a tenant's typed facts, once each.
--
-- Served by facts_open_predicates: one lookup per predicate, however many facts it has.
WITH RECURSIVE held AS (
    (
        SELECT predicate
        FROM facts
        WHERE tenant = %(tenant)s AND form = 'typed' AND upper_inf(recorded)
        ORDER BY predicate
        LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT f.predicate
        FROM facts f
        WHERE f.tenant = %(tenant)s AND f.form = 'typed' AND upper_inf(f.recorded) AND f.predicate > held.predicate
        ORDER BY f.predicate
        LIMIT 1
    )
    FROM held
    WHERE held.predicate IS NOT NULL
)

SELECT predicate
FROM held
WHERE predicate IS NOT NULL
ORDER BY predicate
