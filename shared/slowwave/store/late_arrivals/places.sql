-- The places of late positions: the place of their pack's first decision about something told later. The place is NULL
-- if there is no such decision.
--
-- Served by the scope's part of deltas and of dead_letters. Used only for late claims.
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
