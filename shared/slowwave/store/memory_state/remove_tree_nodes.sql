-- Removes summaries from their trees, with all nodes and model summaries above them, and requests new trees.
--
-- Served by tree_nodes_pkey, one lookup per level; model_summaries_pkey, packs_pkey and intents_one_pending. Until it
-- is rebuilt, a tree has no root. Nothing is requested if the job is not installed.
WITH RECURSIVE above AS (
    SELECT n.scope, n.node, n.parent
    FROM unnest(%(scopes)s::uuid[], %(leaves)s::uuid[]) AS l (scope, leaf)
    JOIN tree_nodes AS n ON (n.scope, n.node) = (l.scope, l.leaf)
    UNION
    SELECT n.scope, n.node, n.parent
    FROM above AS a
    JOIN tree_nodes AS n ON (n.scope, n.node) = (a.scope, a.parent)
),
felled AS (
    DELETE FROM tree_nodes AS n
    USING above AS a
    WHERE (n.scope, n.node) = (a.scope, a.node)
),
silenced AS (
    DELETE FROM model_summaries AS t
    USING above AS a
    WHERE t.scope = a.scope AND t.about = a.node::text
)
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            s.scope, slowwave_tenant(), p.job, p.pack, 0, slowwave_now(), true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM (SELECT DISTINCT scope FROM unnest(%(scopes)s::uuid[]) AS u (scope)) AS s
    JOIN packs AS p ON p.pack = %(pack)s AND p.active
) AS due
CROSS JOIN LATERAL slowwave_ask(due.work) AS asked
