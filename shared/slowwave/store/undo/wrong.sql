-- The first decisions about the claims that made a fact or confirmed it, in the fact's scope and in the scope from
-- which the fact was promoted.
--
-- Served by deltas_pkey, deltas_again, deltas_confirming and delta_origins_pkey.
WITH RECURSIVE asked AS (
    SELECT d.scope, coalesce(d.again, d.id) AS root
    FROM deltas d
    WHERE d.id = %(fact)s AND d.scope = %(scope)s AND d.kind IN ('add', 'update')
    UNION
    SELECT d.scope, coalesce(d.again, d.id)
    FROM asked
    JOIN delta_origins o ON o.delta = asked.root AND o.relation = 'promoted_from'
    JOIN deltas d ON d.id = o.memory AND d.kind IN ('add', 'update')
),
facts AS (
    SELECT asked.scope, d.id, asked.root
    FROM asked
    JOIN deltas d ON d.scope = asked.scope AND (d.id = asked.root OR d.again = asked.root)
),
told AS (
    SELECT scope, root AS delta FROM asked
    UNION
    SELECT f.scope, coalesce(d.again, d.id)
    FROM facts f
    JOIN deltas d ON d.scope = f.scope AND d.kind = 'noop' AND d.fact = f.id
)
SELECT d.scope, d.id AS delta, coalesce(d.stands_at, d.recorded) AS place
FROM told
JOIN deltas d ON d.id = told.delta
ORDER BY d.scope, place
