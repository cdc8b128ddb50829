-- Takes summaries out of the trees they are leaves of, with all that lies and is told above them, and asks for new
-- trees.
--
-- Served by tree_nodes_pkey, a look a level; tellings_pkey, packs_pkey and intents_one_pending. Until it is grown anew
-- a tree has no root. A job that is not installed asks nobody.
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
    DELETE FROM tellings AS t
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
