-- Intents that no worker can claim: without a lease row, with another tenant than the lease, of an unregistered pack,
-- ahead of their scope's episodes, or running under a fence that was never issued.
--
-- One scan of intents, which are few, against scope_leases_pkey, packs_pkey and scope_heads_pkey.
SELECT i.scope, 'intent ' || i.intent || ' of ' || i.pack AS subject
FROM intents i
LEFT JOIN scope_leases l USING (scope)
LEFT JOIN packs p USING (pack)
LEFT JOIN scope_heads h USING (scope)
WHERE
    l.tenant IS DISTINCT FROM i.tenant
    OR p.pack IS NULL
    OR i.fence > l.fence
    OR (i.job = ANY(%(windowed)s::text[]) AND (h.head IS NULL OR i.target > h.head OR i.hi > h.head))
LIMIT %(most)s
