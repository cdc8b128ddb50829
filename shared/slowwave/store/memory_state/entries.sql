-- The entries with these ids, with their standing. An entry that was never used is on the first tier.
--
-- Served by episode_keys_pkey, episodes_pkey and standing_pkey.
SELECT k.id, e.content, e.metadata, coalesce(s.tier, %(entry)s) AS tier, coalesce(s.base, 0.5) AS base
FROM episode_keys k
JOIN episodes e ON e.scope = k.scope AND e.position = k.position AND e.received = k.received
LEFT JOIN standing s ON s.scope = k.scope AND s.memory = k.id
WHERE k.scope = %(scope)s AND k.id = ANY(%(ids)s::uuid[]);
