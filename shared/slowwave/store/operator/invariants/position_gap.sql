-- Scopes whose episodes are not numbered 1, 2, 3 up to their head.
--
-- One scan of episode_keys, grouped in the order of episode_keys_scope_position_key.
SELECT h.scope, 'head ' || h.head || ', ' || coalesce(k.episodes, 0) || ' episodes' AS subject
FROM scope_heads h
LEFT JOIN (
    SELECT scope, count(*) AS episodes, min(position) AS first, max(position) AS last FROM episode_keys GROUP BY scope
) AS k USING (scope)
WHERE h.head <> coalesce(k.episodes, 0) OR (h.head > 0 AND (k.first, k.last) IS DISTINCT FROM (1, h.head))
LIMIT %(most)s
