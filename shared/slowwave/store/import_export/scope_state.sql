-- The state of a scope: whether the scope was used, whether it was moved to an embedding space, and whether it has a
-- given episode and a given delta. An unknown scope has no row.
--
-- Served by scope_heads_pkey, embedding_moves_pkey, episode_keys_pkey and deltas_pkey.
SELECT
    h.head > 0 OR EXISTS (SELECT FROM deltas AS d WHERE d.scope = h.scope) AS lived,
    EXISTS(SELECT FROM embedding_moves AS m WHERE m.scope = h.scope) AS moved,
    %(episode)s::uuid IS NULL
    OR EXISTS (SELECT FROM episode_keys AS k WHERE k.scope = h.scope AND k.id = %(episode)s) AS episode,
    %(delta)s::uuid IS NULL
    OR EXISTS (SELECT FROM deltas AS d WHERE d.id = %(delta)s AND d.scope = h.scope) AS delta
FROM scope_heads AS h
WHERE h.scope = %(scope)s
FOR UPDATE
