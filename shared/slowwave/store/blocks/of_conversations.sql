-- The packed blocks that contain episodes of these conversations, by scope.
--
-- One scan of the episodes of each scope with blocks, by their primary key; runs only when episodes expire.
SELECT DISTINCT e.scope, (e.position - 1) / 256 AS block
FROM unnest(%(scopes)s::uuid[], %(sessions)s::text[]) AS gone (scope, session)
JOIN episodes AS e ON e.scope = gone.scope AND e.session = gone.session
WHERE EXISTS (SELECT FROM word_blocks AS w WHERE w.scope = e.scope AND w.block = (e.position - 1) / 256)
ORDER BY scope, block
