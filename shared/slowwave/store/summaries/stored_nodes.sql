-- The stored nodes of a scope's tree, with the embedding space of each node. No node is returned while the tree is to
-- be rebuilt.
--
-- Served by tree_nodes_pkey, embedding_spaces_pkey and intents_one_pending.
SELECT n.node, n.level, n.parent, n.text, n.space, s.name, s.dimensions
FROM tree_nodes AS n
JOIN embedding_spaces AS s USING (space)
WHERE n.scope = %(scope)s AND NOT EXISTS (SELECT FROM intents AS i WHERE i.scope = n.scope AND i.pack = %(pack)s)
ORDER BY n.level, n.node
