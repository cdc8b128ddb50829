-- Promotions to another user or agent, to a channel other than `_global`, or of a fact that does not exist.
--
-- Scopes with erased names are not compared.
--
-- One scan of promotions against scope_heads_pkey and facts_of_delta.
SELECT p.target AS scope, 'promotion ' || p.promotion AS subject
FROM promotions p
LEFT JOIN scope_heads t ON t.scope = p.target
LEFT JOIN scope_heads s ON s.scope = p.source_scope
WHERE
    t.channel IS DISTINCT FROM '_global'
    OR (t.tenant, t.agent) IS DISTINCT FROM (s.tenant, s.agent)
    OR (t.user_id <> s.user_id AND t.erased IS NULL AND s.erased IS NULL)
    OR NOT EXISTS (SELECT FROM facts f WHERE f.fact = p.fact AND f.scope = p.target)
    OR NOT EXISTS (SELECT FROM facts f WHERE f.fact = p.source_fact AND f.scope = p.source_scope)
LIMIT %(most)s
