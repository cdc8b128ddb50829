-- Scopes without a lease row or without the watermark of a pack that reads episodes, or with rows of other tenants.
--
-- One scan of scope_heads against scope_leases_pkey and watermarks_pkey.
SELECT h.scope, CASE WHEN l.tenant IS DISTINCT FROM h.tenant THEN 'lease' ELSE 'watermark of ' || p.pack END AS subject
FROM scope_heads h
LEFT JOIN scope_leases l USING (scope)
LEFT JOIN packs p ON p.active AND p.job = ANY(%(windowed)s::text[])
LEFT JOIN watermarks w ON w.scope = h.scope AND w.pack = p.pack
WHERE l.tenant IS DISTINCT FROM h.tenant OR (p.pack IS NOT NULL AND w.tenant IS DISTINCT FROM h.tenant)
LIMIT %(most)s
