-- The embedding spaces that scopes of a tenant use, each with the number of its scopes.
--
-- The statement is for people, and no job runs it. Scopes are read by scope_heads_tenant_user_id_agent_channel_key,
-- other rows by primary keys.
WITH here AS MATERIALIZED (
    SELECT
        coalesce(
            m.space,
            (
                SELECT v.space FROM episode_vectors AS v
                WHERE v.scope = h.scope ORDER BY v.position, v.space LIMIT 1
            ),
            (SELECT v.space FROM fact_vectors AS v WHERE v.scope = h.scope ORDER BY v.fact, v.space LIMIT 1)
        ) AS space
    FROM scope_heads AS h
    LEFT JOIN embedding_moves AS m ON m.scope = h.scope
    WHERE h.tenant = %(tenant)s
)
SELECT s.name, s.dimensions, count(*) AS scopes
FROM here
JOIN embedding_spaces AS s ON s.space = here.space
GROUP BY s.space, s.name, s.dimensions
ORDER BY s.name, s.dimensions
