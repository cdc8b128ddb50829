-- The scopes of the tenant in which a pack has read an episode, in order, each with the version of the pack that reads
-- there as a canary.
--
-- One scan of the tenant's watermarks and scopes; used only to replay a pack in all scopes.
SELECT h.tenant, h.user_id, h.agent, h.channel, slowwave_canary(w.scope, w.pack) AS canary
FROM watermarks w
JOIN scope_heads h USING (scope)
WHERE w.pack = %(pack)s AND w.position > 0
ORDER BY h.user_id, h.agent, h.channel
