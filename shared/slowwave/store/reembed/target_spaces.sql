-- The embedding spaces to which scopes of a tenant are moving, each with the number of scopes, their progress, and the
-- start of the move.
--
-- The statement is for people, and no job runs it. Served by embedding_moves_coming, watermarks_pkey,
-- episode_vectors_pkey and embedding_spaces_pkey.
SELECT
    s.name, s.dimensions, count(*) AS scopes, sum(coalesce(w.position, 0))::bigint AS episodes,
    sum((
        SELECT count(*) FROM episode_vectors AS v
        WHERE v.scope = m.scope AND v.space = m.toward
    ))::bigint AS made,
    min(m.since) AS since
FROM embedding_moves AS m
JOIN embedding_spaces AS s ON s.space = m.toward
LEFT JOIN watermarks AS w ON w.scope = m.scope AND w.pack = %(pack)s
WHERE m.tenant = %(tenant)s AND m.toward IS NOT NULL
GROUP BY s.space, s.name, s.dimensions
ORDER BY s.name, s.dimensions
