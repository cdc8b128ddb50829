-- Standing rows without their memory: no fact, episode, entity, strategy, goal or consensus of that scope has the id.
--
-- One scan of standing; each kind of memory by its primary key, facts by facts_of_delta.
SELECT s.scope, 'standing of ' || s.kind || ' ' || s.memory AS subject
FROM standing s
WHERE
    NOT EXISTS (SELECT FROM facts f WHERE f.fact = s.memory AND f.scope = s.scope)
    AND NOT EXISTS (SELECT FROM episode_keys k WHERE k.scope = s.scope AND k.id = s.memory)
    AND NOT EXISTS (SELECT FROM entities e WHERE e.scope = s.scope AND e.entity = s.memory)
    AND NOT EXISTS (SELECT FROM strategies y WHERE y.scope = s.scope AND y.strategy = s.memory)
    AND NOT EXISTS (SELECT FROM goals g WHERE g.scope = s.scope AND g.goal = s.memory)
    AND NOT EXISTS (SELECT FROM consensus c WHERE c.scope = s.scope AND c.record = s.memory)
LIMIT %(most)s
