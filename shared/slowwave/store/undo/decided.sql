-- The claims of a pack in a scope about which a person has decided, as they were stated.
--
-- Served by dead_letters_conflicts.
SELECT
    l.item AS payload, l.item ->> 'mode' AS mode, (l.item ->> 'confidence')::float8 AS confidence,
    l.item ->> 'rule' AS rule, l.item -> 'sources' AS sources, (l.item ->> 'valid_from')::timestamptz AS valid_from
FROM dead_letters l
WHERE
    l.scope = %(scope)s AND l.pack = %(pack)s AND l.category = 'conflict' AND l.state = 'decided' AND l.item ? 'claim'
    AND NOT EXISTS (SELECT FROM undone u WHERE u.scope = l.scope AND u.delta = (l.item ->> 'delta')::uuid)
ORDER BY l.letter
