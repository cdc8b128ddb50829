-- Those of some deltas that are in the ledger, and those put before a person, whatever the decision; of *unsure* ones,
-- also those whose episode had a review about one of the same facts.
--
-- Served by deltas_pkey and dead_letters_conflicts.
SELECT id FROM deltas WHERE id = ANY(%(ids)s::uuid[])
UNION
SELECT (item ->> 'delta')::uuid
FROM dead_letters
WHERE
    scope = %(scope)s AND pack = %(pack)s AND category = 'conflict'
    AND item ->> 'delta' = ANY(%(ids)s::uuid[]::text[])
UNION
SELECT unsure.id
FROM jsonb_to_recordset(%(unsure)s::jsonb) AS unsure (id uuid, episode uuid, among text[])
JOIN dead_letters l ON l.scope = %(scope)s AND l.category = 'conflict' AND l.episode = unsure.episode
WHERE jsonb_exists_any(l.item -> 'among', unsure.among)
