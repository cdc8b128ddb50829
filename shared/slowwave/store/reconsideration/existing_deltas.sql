-- Those of the given deltas that are in the ledger, or in a pending or decided review. Also those *unsure* deltas whose
-- episode has a review about one of the same facts, or about a fact that has the same claim now.
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
FROM jsonb_to_recordset(%(unsure)s::jsonb) AS unsure (id uuid, episode uuid, among uuid[])
JOIN dead_letters l ON l.scope = %(scope)s AND l.category = 'conflict' AND l.episode = unsure.episode
WHERE EXISTS (
    SELECT FROM jsonb_array_elements_text(l.item -> 'among') AS its (fact)
    CROSS JOIN unnest(unsure.among) AS mine (fact)
    WHERE
        (SELECT coalesce(d.again, d.id) FROM deltas d WHERE d.id = its.fact::uuid)
        = (SELECT coalesce(d.again, d.id) FROM deltas d WHERE d.id = mine.fact)
)
