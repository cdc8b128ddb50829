-- Strategies, goals and consensus of a scope that have a vector in a space other than the given space.
--
-- Served by strategies_pkey, goals_pkey and consensus_pkey: the scope's part of each is read.
SELECT 'strategy' AS kind, s.strategy AS id, concat_ws(' ', s.description, s.context_pattern, s.task) AS text
FROM strategies AS s WHERE s.scope = %(scope)s AND s.space <> %(space)s
UNION ALL
SELECT 'goal', g.goal, g.description FROM goals AS g WHERE g.scope = %(scope)s AND g.space <> %(space)s
UNION ALL
SELECT 'consensus', c.record, c.topic FROM consensus AS c WHERE c.scope = %(scope)s AND c.space <> %(space)s
ORDER BY kind, id
