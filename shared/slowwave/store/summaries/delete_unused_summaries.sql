-- Deletes model summaries of nodes that are no longer in a scope's tree, and voids their pending requests.
--
-- Served by model_summaries_pkey and tree_nodes_pkey, a scope's own rows, and by model_requests_pkey.
WITH gone AS (
    DELETE FROM model_summaries AS t
    WHERE
        t.scope = %(scope)s AND t.session IS NULL
        AND NOT EXISTS (SELECT FROM tree_nodes AS n WHERE n.scope = t.scope AND n.node::text = t.about)
    RETURNING t.waiting
)
UPDATE model_requests AS r SET state = 'void'
FROM gone AS g
WHERE r.request = g.waiting AND r.state = 'pending'
