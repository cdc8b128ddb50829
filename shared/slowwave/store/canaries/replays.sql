-- The replays in force of the tenant's scopes, and the undos of replays, the latest first within a scope.
--
-- One scan of the tenant's orders to undo, or undos_pkey for one scope; used only to compare or to roll back a canary.
SELECT h.tenant, h.user_id, h.agent, h.channel, o.undo, o.what, o.run
FROM undos o
JOIN scope_heads h USING (scope)
WHERE
    o.added IS NOT NULL AND o.applied IS NOT NULL AND o.lifted IS NULL
    AND (%(scope)s::uuid IS NULL OR o.scope = %(scope)s)
ORDER BY h.user_id, h.agent, h.channel, o.run DESC
