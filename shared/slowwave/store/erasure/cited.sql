-- The deltas of a scope that cite words which an erasure removes from this scope or another scope.
--
-- Served by deltas_scope_recorded_key, delta_sources_pkey and erasure_targets_pkey.
SELECT d.id, d.kind
FROM deltas AS d
WHERE
    d.scope = %(scope)s
    AND EXISTS (
        SELECT FROM delta_sources AS s
        WHERE
            s.delta = d.id
            AND (
                (s.origin IS NULL AND (%(everything)s OR s.position = ANY(%(positions)s::bigint[])))
                OR EXISTS (
                    SELECT FROM erasure_targets AS t
                    WHERE
                        t.erasure = %(erasure)s AND t.scope = s.origin
                        AND (t.everything OR s.position = ANY(t.positions))
                )
            )
    )
