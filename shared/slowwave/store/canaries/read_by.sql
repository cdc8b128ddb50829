-- The scopes of the tenant in which runs of one version of a pack have read episodes, with the windows of these runs.
--
-- One scan of the tenant's runs, or runs_of_scope for one scope; used only to compare or to roll back a canary.
SELECT
    h.tenant, h.user_id, h.agent, h.channel, array_agg(r.run ORDER BY r.run) AS runs,
    array_agg(r.lo ORDER BY r.run) AS los, array_agg(r.hi ORDER BY r.run) AS his
FROM runs r
JOIN scope_heads h USING (scope)
WHERE
    r.pack = %(pack)s AND r.version = %(version)s AND r.hi >= r.lo AND r.lo > 0
    AND (%(scope)s::uuid IS NULL OR r.scope = %(scope)s)
GROUP BY h.tenant, h.user_id, h.agent, h.channel
ORDER BY h.user_id, h.agent, h.channel
