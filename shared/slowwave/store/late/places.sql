-- The places of late positions: that of the first decision of their pack about what was told after them. Null where
-- there is none.
--
-- Served by the scope's part of deltas and of dead_letters. Asked only for what comes late.
SELECT
    late.position,
    least(
        (
            SELECT min(coalesce(d.stands_at, d.recorded)) FROM deltas d
            WHERE d.scope = %(scope)s AND d.pack = %(pack)s AND d.position > late.position AND d.again IS NULL
        ),
        (
            SELECT min((l.item ->> 'stands_at')::timestamptz) FROM dead_letters l
            WHERE
                l.scope = %(scope)s AND l.pack = %(pack)s AND l.position > late.position AND l.category = 'conflict'
                AND l.state <> 'decided'
        )
    ) AS place
FROM unnest(%(positions)s::bigint[]) AS late (position)
ORDER BY late.position
