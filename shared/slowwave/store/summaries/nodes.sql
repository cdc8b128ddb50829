-- The nodes of these scopes' trees, or the children of a node whose id begins with a prefix: the highest first.
--
-- Served by tree_nodes_pkey and facts_of_delta.
SELECT n.scope, n.node, n.level, n.parent, n.text, n.facts, n.places, f.session, f.object, NULL::float AS score
FROM tree_nodes AS n
LEFT JOIN facts AS f
    ON n.level = 0 AND f.fact = n.node AND f.scope = n.scope AND upper_inf(f.recorded) AND upper_inf(f.valid)
WHERE
    n.scope = ANY(%(scopes)s::uuid[]) AND (n.level > 0 OR f.fact IS NOT NULL)
    AND (%(under)s::text IS NULL OR starts_with(n.parent::text, %(under)s::text))
ORDER BY n.level DESC, n.scope, n.node
LIMIT %(most)s
