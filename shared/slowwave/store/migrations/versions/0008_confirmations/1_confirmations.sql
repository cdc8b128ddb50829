-- Promotion, patterns and mentions count the same confirmations of a fact, which these functions find.

-- Served by deltas_pkey and deltas_again. Postgres inlines both functions.
CREATE FUNCTION slowwave_same_fact(of_scope uuid, of_fact uuid) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
    SELECT of_fact
    UNION
    SELECT f.again FROM deltas f WHERE f.id = of_fact AND f.again IS NOT NULL
    UNION
    SELECT same.id
    FROM deltas f JOIN deltas same ON same.scope = of_scope AND same.again = coalesce(f.again, f.id)
    WHERE f.id = of_fact AND same.kind IN ('add', 'update')
$$;
COMMENT ON FUNCTION slowwave_same_fact(uuid, uuid) IS
    'The ids that a fact has had: an undo or a late arrival opens a fact again under a new id.';

-- Served by deltas_confirming and deltas_again.
CREATE FUNCTION slowwave_confirmations(of_scope uuid, of_fact uuid)
RETURNS TABLE (delta uuid, recorded timestamptz, valid tstzrange) LANGUAGE sql STABLE AS $$
    SELECT d.id, d.recorded, d.valid
    FROM slowwave_same_fact(of_scope, of_fact) AS same (fact) JOIN deltas d USING (fact)
    WHERE
        d.scope = of_scope AND d.kind = 'noop'
        AND NOT EXISTS (
            SELECT FROM deltas later
            WHERE
                later.scope = of_scope AND later.again = coalesce(d.again, d.id) AND later.recorded > d.recorded
        )
$$;
COMMENT ON FUNCTION slowwave_confirmations(uuid, uuid) IS
    'The claims that confirm a fact under any of its ids, as they were decided last: undone claims do not count.';
