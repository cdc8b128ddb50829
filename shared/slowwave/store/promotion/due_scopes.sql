-- The `_global` scopes for which a promotion or a revocation is due.
--
-- Served by standing_promote_due and promotions_due: the cost depends on what changed, not on what is stored. The
-- `_global` scope is created together with the scope of any channel.
SELECT g.scope, g.tenant, NULL::smallint AS slice
FROM standing s
JOIN scope_heads h USING (scope)
JOIN scope_heads g ON (g.tenant, g.user_id, g.agent, g.channel) = (h.tenant, h.user_id, h.agent, '_global')
WHERE s.promote_due <= (SELECT slowwave_now()) AND h.channel <> '_global'
UNION
SELECT p.target, p.tenant, NULL FROM promotions p WHERE p.due <= (SELECT slowwave_now())
ORDER BY scope
