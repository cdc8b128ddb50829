-- The number of facts that a tenant holds of each predicate in %(to_single)s as multi-valued, and of each in
-- %(to_many)s as single-valued.
--
-- Served by facts_open_predicates.
SELECT predicate, count(DISTINCT fact) AS facts
FROM facts
WHERE
    tenant = %(tenant)s AND form = 'typed' AND upper_inf(recorded)
    AND (
        (predicate = ANY(%(to_single)s::text[]) AND NOT single_valued)
        OR (predicate = ANY(%(to_many)s::text[]) AND single_valued)
    )
GROUP BY predicate
ORDER BY predicate
