-- The memories in the project channels of one agent and user that are due for review, the longest waiting first.
--
-- Served by scope_heads' key of user, agent and channel, and standing_promote_due.
SELECT s.scope, s.memory, s.promote_due AS due, s.access_count AS accesses
FROM scope_heads g
JOIN scope_heads h ON (h.tenant, h.user_id, h.agent) = (g.tenant, g.user_id, g.agent) AND h.channel <> '_global'
JOIN standing s ON s.scope = h.scope
WHERE g.scope = %(target)s AND g.channel = '_global' AND s.promote_due <= %(now)s
ORDER BY s.promote_due, s.scope, s.memory
LIMIT %(most)s
