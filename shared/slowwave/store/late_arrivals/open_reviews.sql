-- The claims told at *since* or later that still wait for a person's decision, or were undone.
--
-- Served by the scope's part of dead_letters. Used only for late claims.
SELECT
    (item ->> 'delta')::uuid AS id,
    scope,
    pack,
    item AS payload,
    item ->> 'mode' AS mode,
    (item ->> 'confidence')::float8 AS confidence,
    item ->> 'rule' AS rule, item -> 'sources' AS sources, (item ->> 'valid_from')::timestamptz AS valid_from,
    (item ->> 'stands_at')::timestamptz AS place, FALSE AS late,
    (
        SELECT e.occurred
        FROM episode_keys k JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
        WHERE k.scope = dead_letters.scope AND k.position = dead_letters.position
    ) AS occurred
FROM dead_letters
WHERE
    scope = %(scope)s AND category = 'conflict' AND item ? 'claim'
    AND (
        state <> 'decided'
        OR EXISTS (
            SELECT FROM undone u
            WHERE u.scope = dead_letters.scope AND u.delta = (dead_letters.item ->> 'delta')::uuid
        )
    )
    AND (item ->> 'stands_at')::timestamptz >= %(since)s
ORDER BY letter
