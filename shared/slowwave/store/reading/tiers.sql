-- The tiers on which these memories stand, as far as they were ever returned or learned.
--
-- Served by standing_pkey.
SELECT s.memory, s.tier
FROM unnest(%(scopes)s::uuid[], %(memories)s::uuid[]) AS wanted (scope, memory)
JOIN standing AS s ON s.scope = wanted.scope AND s.memory = wanted.memory
ORDER BY s.scope, s.memory
