-- The entities of a scope that stand for themselves and of which something is believed, the most frequent first.
--
-- One pass over the scope's part of entities_pkey; other names by entities_same.
SELECT e.scope, e.entity
FROM entities e
CROSS JOIN
    LATERAL (
        SELECT coalesce(sum(n.frequency), 0) AS more FROM entities n WHERE n.scope = e.scope AND n.same_as = e.entity
    ) AS others
WHERE
    e.scope = %(scope)s AND e.same_as IS NULL AND e.tombstoned IS NULL AND e.frequency + others.more > 0
ORDER BY e.frequency + others.more DESC, e.entity
LIMIT %(most)s
