-- Origins without a delta, or without their memory: neither a fact nor an episode of that scope.
--
-- One scan of delta_origins against deltas_pkey, facts_of_delta and episode_keys_pkey.
SELECT o.scope, 'origin ' || o.ordinal || ' of delta ' || o.delta AS subject
FROM delta_origins o
WHERE
    NOT EXISTS (SELECT FROM deltas d WHERE d.id = o.delta)
    OR NOT (
        EXISTS (SELECT FROM facts f WHERE f.fact = o.memory AND f.scope = o.scope)
        OR EXISTS (SELECT FROM episode_keys k WHERE k.scope = o.scope AND k.id = o.memory)
    )
LIMIT %(most)s
