-- Scopes with rows of this tenant that do not exist or belong to another tenant.
--
-- One scan of each table, against scope_heads_pkey.
SELECT used.scope, 'rows of ' || string_agg(used.relation, ', ' ORDER BY used.relation) AS subject
FROM (
    SELECT 'episode_keys' AS relation, scope FROM episode_keys
    UNION SELECT 'beliefs', scope FROM beliefs
    UNION SELECT 'facts', scope FROM facts
    UNION SELECT 'deltas', scope FROM deltas
    UNION SELECT 'standing', scope FROM standing
    UNION SELECT 'tier_moves', scope FROM tier_moves
    UNION SELECT 'conversations', scope FROM conversations
    UNION SELECT 'segments', scope FROM segments
    UNION SELECT 'entities', scope FROM entities
    UNION SELECT 'edges', scope FROM edges
    UNION SELECT 'strategies', scope FROM strategies
    UNION SELECT 'goals', scope FROM goals
    UNION SELECT 'consensus', scope FROM consensus
) AS used
WHERE NOT EXISTS (SELECT FROM scope_heads h WHERE h.scope = used.scope)
GROUP BY used.scope
LIMIT %(most)s
