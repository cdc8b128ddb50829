-- Replaces the tree of a scope by the given one: deletes nodes that are not in it, inserts new ones under their
-- parents.
--
-- Served by tree_nodes_pkey.
WITH told AS MATERIALIZED (
    SELECT node, level, parent
    FROM unnest(%(nodes)s::uuid[], %(levels)s::smallint[], %(parents)s::uuid[]) AS t (node, level, parent)
),
new AS MATERIALIZED (
    SELECT node, text, embedding, facts, places
    FROM
        unnest(%(new)s::uuid[], %(texts)s::text[], %(vectors)b::vector[], %(facts)s::text[], %(places)s::text[])
            AS n (node, text, embedding, facts, places)
),
gone AS (
    DELETE FROM tree_nodes AS n
    WHERE n.scope = %(scope)s AND NOT EXISTS (SELECT FROM told AS t WHERE t.node = n.node)
),
moved AS (
    UPDATE tree_nodes AS n SET parent = t.parent
    FROM told AS t
    WHERE n.scope = %(scope)s AND n.node = t.node AND n.parent IS DISTINCT FROM t.parent
)
INSERT INTO tree_nodes (scope, node, tenant, level, parent, space, text, embedding, facts, places)
SELECT
    %(scope)s, t.node, slowwave_tenant(), t.level, t.parent, %(space)s, n.text, n.embedding, n.facts::uuid[],
    n.places::smallint[]
FROM told AS t
LEFT JOIN new AS n USING (node)
WHERE t.level = 0 OR n.node IS NOT NULL
ORDER BY t.node
ON CONFLICT DO NOTHING
