-- Vectors without their episode, fact or entity.
--
-- One scan of the vectors against episode_keys_scope_position_key and facts_of_delta and entities_pkey.
(
    SELECT v.scope, 'vector of the episode at ' || v.position AS subject
    FROM episode_vectors v
    WHERE NOT EXISTS (SELECT FROM episode_keys k WHERE k.scope = v.scope AND k.position = v.position)
    LIMIT %(most)s
)
UNION ALL (
    SELECT v.scope, 'vector of fact ' || v.fact
    FROM fact_vectors v
    WHERE NOT EXISTS (SELECT FROM facts f WHERE f.fact = v.fact AND f.scope = v.scope)
    LIMIT %(most)s
)
UNION ALL (
    SELECT v.scope, 'vector of entity ' || v.entity
    FROM entity_vectors v
    WHERE NOT EXISTS (SELECT FROM entities e WHERE e.entity = v.entity AND e.scope = v.scope)
    LIMIT %(most)s
)
