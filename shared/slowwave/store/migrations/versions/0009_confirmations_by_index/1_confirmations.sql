-- Under row-level security, Postgres uses no index for a comparison with coalesce, and uses one for CASE. OFFSET 0 makes
-- one lookup per confirmation, whatever the planner expects.

-- Served by deltas_pkey and deltas_again. Postgres inlines both functions.
CREATE OR REPLACE FUNCTION slowwave_same_fact(of_scope uuid, of_fact uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
    SELECT of_fact
    UNION
    SELECT f.again FROM deltas f WHERE f.id = of_fact AND f.again IS NOT NULL
    UNION
    SELECT same.id
    FROM deltas f
    CROSS JOIN
        LATERAL (
            SELECT s.id, s.kind FROM deltas s
            WHERE s.scope = of_scope AND s.again = CASE WHEN f.again IS NULL THEN f.id ELSE f.again END
            OFFSET 0
        ) AS same
    WHERE f.id = of_fact AND same.kind IN ('add', 'update')
$$;

-- Served by deltas_confirming and deltas_again.
CREATE OR REPLACE FUNCTION slowwave_confirmations(of_scope uuid, of_fact uuid)
RETURNS TABLE (delta uuid, recorded timestamptz, valid tstzrange) LANGUAGE sql STABLE AS $$
    SELECT d.id, d.recorded, d.valid
    FROM slowwave_same_fact(of_scope, of_fact) AS same (fact) JOIN deltas d USING (fact)
    WHERE
        d.scope = of_scope AND d.kind = 'noop'
        AND NOT EXISTS (
            SELECT FROM deltas later
            WHERE
                later.scope = of_scope AND later.again = CASE WHEN d.again IS NULL THEN d.id ELSE d.again END
                AND later.recorded > d.recorded
            OFFSET 0
        )
$$;
