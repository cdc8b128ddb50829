-- The first decisions of these runs, or of every run since a time, and the reviews that these runs asked for. Each has
-- the scope, the id, and the place in the order of telling. Decisions of undos are left out.
--
-- Served by deltas_of_run and runs_pkey, or by deltas_in_order; reviews by dead_letters_conflicts.
SELECT d.scope, d.id AS delta, coalesce(d.stands_at, d.recorded) AS place
FROM deltas d
JOIN runs r ON r.run = d.run
WHERE
    (%(runs)s::bigint[] IS NULL OR d.run = ANY(%(runs)s::bigint[]))
    AND (%(since)s::timestamptz IS NULL OR d.recorded >= %(since)s)
    AND (%(scopes)s::uuid[] IS NULL OR d.scope = ANY(%(scopes)s::uuid[]))
    AND d.again IS NULL AND r.job <> 'undo'
UNION
SELECT l.scope, (l.item ->> 'delta')::uuid, (l.item ->> 'stands_at')::timestamptz
FROM runs r
JOIN dead_letters l ON l.scope = r.scope AND l.pack = r.pack AND l.position BETWEEN r.lo AND r.hi
WHERE
    (%(runs)s::bigint[] IS NULL OR r.run = ANY(%(runs)s::bigint[]))
    AND (%(since)s::timestamptz IS NULL OR (l.item ->> 'stands_at')::timestamptz >= %(since)s)
    AND (%(scopes)s::uuid[] IS NULL OR r.scope = ANY(%(scopes)s::uuid[]))
    AND l.category = 'conflict' AND l.state <> 'decided' AND l.item ? 'claim'
ORDER BY scope, place, delta
