-- The value before each of some facts of one value, if the fact replaced another.
--
-- Served by facts_of_delta, then facts_open.
SELECT DISTINCT ON (n.fact)
    n.fact,
    e.object
FROM facts AS n
JOIN facts AS e
    ON e.scope = n.scope AND e.belief = n.belief AND upper_inf(e.recorded) AND lower(e.valid) < lower(n.valid)
WHERE
    n.scope = %(scope)s AND n.fact = ANY(%(facts)s::uuid[]) AND n.single_valued AND upper_inf(n.recorded)
    AND e.fact <> n.fact
ORDER BY n.fact, lower(e.valid) DESC, n.version
