-- The facts that these decisions confirmed, at first or when they were decided again, under each of their ids.
--
-- Served by deltas_pkey, deltas_again and the indexes of slowwave_same_fact.
SELECT DISTINCT same.fact
FROM (
    SELECT d.fact FROM deltas AS d WHERE d.id = ANY(%(deltas)s::uuid[]) AND d.scope = %(scope)s AND d.kind = 'noop'
    UNION
    SELECT d.fact FROM deltas AS d WHERE d.scope = %(scope)s AND d.again = ANY(%(deltas)s::uuid[]) AND d.kind = 'noop'
) AS told
CROSS JOIN LATERAL slowwave_same_fact(%(scope)s, told.fact) AS same (fact)
WHERE told.fact IS NOT NULL
ORDER BY same.fact
