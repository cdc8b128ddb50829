-- The position up to which a scope is summarised, and its last position.
--
-- Served by scope_heads_pkey and watermarks_pkey.
SELECT coalesce(w.position, 0) AS summed_up, h.head
FROM scope_heads AS h
LEFT JOIN watermarks AS w ON w.scope = h.scope AND w.pack = %(pack)s
WHERE h.scope = %(scope)s
