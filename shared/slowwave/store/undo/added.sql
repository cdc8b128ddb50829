-- The claims that a replay added and that were decided or are in an open review. Each claim has its first decision, and
-- its place in the order of telling.
--
-- Served by deltas_pkey, and by dead_letters_conflicts.
SELECT d.id AS delta, coalesce(d.stands_at, d.recorded) AS place
FROM deltas d
WHERE d.scope = %(scope)s AND d.id = ANY(%(ids)s::uuid[])
UNION
SELECT (l.item ->> 'delta')::uuid, (l.item ->> 'stands_at')::timestamptz
FROM dead_letters l
WHERE
    l.scope = %(scope)s AND l.category = 'conflict' AND l.state <> 'decided'
    AND (l.item ->> 'delta')::uuid = ANY(%(ids)s::uuid[])
ORDER BY place, delta
