-- Those of some deltas that are in the ledger, and those put before a person, whatever the decision.
--
-- Served by deltas_pkey and dead_letters_conflicts.
SELECT id FROM deltas WHERE id = ANY(%(ids)s::uuid[])
UNION
SELECT (item ->> 'delta')::uuid
FROM dead_letters
WHERE
    scope = %(scope)s AND pack = %(pack)s AND category = 'conflict'
    AND item ->> 'delta' = ANY(%(ids)s::uuid[]::text[])
