-- The latest rejected claims of models, newest first, with the scope of their episode.
--
-- Served by model_rejected_pkey from its newest end, and scope_heads_pkey.
SELECT m.at, h.user_id AS "user", m.pack, m.request, m.position, m.reason, m.said
FROM model_rejected m
JOIN scope_heads h USING (scope)
ORDER BY m.rejected DESC
LIMIT %(most)s
