-- The last recorded texts of these facts, and the id of the fact that has the same claim now. A claim that was decided
-- again, for example after an undo, has a fact with another id. Erased facts are left out.
--
-- Served by facts_of_delta, deltas_pkey and deltas_again.
SELECT DISTINCT ON (f.fact) f.fact, f.text, coalesce(held.fact, f.fact) AS now
FROM facts f
LEFT JOIN LATERAL (
    SELECT h.fact
    FROM deltas own
    JOIN deltas same ON same.scope = own.scope AND same.again = coalesce(own.again, own.id) OR same.id = own.again
    JOIN facts h ON h.fact = same.id AND h.scope = own.scope AND upper_inf(h.recorded)
    WHERE own.id = f.fact AND NOT EXISTS (SELECT FROM facts o WHERE o.fact = f.fact AND upper_inf(o.recorded))
    ORDER BY h.version DESC
    LIMIT 1
) AS held ON TRUE
WHERE f.fact = ANY(%(facts)s::uuid[]) AND f.predicate <> '_erased'
ORDER BY f.fact, lower(f.recorded) DESC, f.version DESC
