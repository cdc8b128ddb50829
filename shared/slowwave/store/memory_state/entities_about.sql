-- The subjects of facts, by name, and the entities that the facts name.
--
-- Served by facts_of_delta and edges_pkey.
SELECT DISTINCT f.scope, f.subject, NULL::uuid AS entity
FROM unnest(%(scopes)s::uuid[], %(facts)s::uuid[]) AS told (scope, fact) JOIN facts f USING (scope, fact)
UNION ALL
SELECT DISTINCT e.scope, NULL, e.target
FROM unnest(%(scopes)s::uuid[], %(facts)s::uuid[]) AS told (scope, fact) JOIN edges e USING (scope, fact)
WHERE e.target IS NOT NULL
