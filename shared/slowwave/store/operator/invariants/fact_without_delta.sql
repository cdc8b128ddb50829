-- Facts that no add or update of their scope created, so that their history is missing.
--
-- One scan of facts against deltas_pkey.
SELECT DISTINCT f.scope, 'fact ' || f.fact AS subject
FROM facts f
WHERE NOT EXISTS (SELECT FROM deltas d WHERE d.id = f.fact AND d.scope = f.scope AND d.kind IN ('add', 'update'))
LIMIT %(most)s
