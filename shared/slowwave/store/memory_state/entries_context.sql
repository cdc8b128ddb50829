-- The memories on some tiers of a scope: the most important first, then the latest.
--
-- Served by standing_pkey, episode_keys_pkey and episodes_pkey.
SELECT k.id, e.content, e.metadata, s.tier, s.base
FROM standing s
JOIN episode_keys k ON k.scope = s.scope AND k.id = s.memory
JOIN episodes e ON e.scope = k.scope AND e.position = k.position AND e.received = k.received
WHERE s.scope = %(scope)s AND s.kind = 'episodic' AND s.tier = ANY(%(tiers)s::text[])
ORDER BY s.base DESC, k.position DESC
LIMIT %(most)s;
