-- Begins to move scopes from their present space to another, or cancels a move to a different space.
--
-- Served by embedding_moves_pkey.
INSERT INTO embedding_moves AS m (scope, tenant, space, toward, since)
SELECT
    here.scope, slowwave_tenant(), here.space, nullif(%(target)s::smallint, here.space),
    CASE WHEN here.space <> %(target)s::smallint THEN slowwave_now() END
FROM unnest(%(scopes)s::uuid[], %(spaces)s::smallint[]) AS here (scope, space)
ORDER BY here.scope
ON CONFLICT (scope) DO UPDATE
    SET
        toward = nullif(excluded.toward, m.space),
        since = CASE WHEN m.toward = excluded.toward THEN m.since ELSE excluded.since END
RETURNING m.scope
