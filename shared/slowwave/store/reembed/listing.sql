-- The spaces of a tenant: how many scopes answer in each, how many are on their way there and how far they are.
--
-- For people; no job reads it. Scopes by scope_heads_tenant_user_id_agent_channel_key, the rest by primary keys.
WITH here AS MATERIALIZED (
    SELECT
        h.scope, m.toward,
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
),
coming AS MATERIALIZED (
    SELECT
        here.toward AS space, count(*) AS scopes, sum(coalesce(w.position, 0))::bigint AS episodes,
        sum((
            SELECT count(*) FROM episode_vectors AS v
            WHERE v.scope = here.scope AND v.space = here.toward
        ))::bigint AS made
    FROM here LEFT JOIN watermarks AS w ON w.scope = here.scope AND w.pack = %(pack)s
    WHERE here.toward IS NOT NULL
    GROUP BY here.toward
)
SELECT
    s.name, s.dimensions, (SELECT count(*) FROM here WHERE here.space = s.space) AS scopes,
    coalesce(c.scopes, 0) AS coming, coalesce(c.episodes, 0) AS episodes, coalesce(c.made, 0) AS made
FROM embedding_spaces AS s
LEFT JOIN coming AS c ON c.space = s.space
WHERE c.scopes > 0 OR EXISTS (SELECT FROM here WHERE here.space = s.space)
ORDER BY s.name, s.dimensions
