-- The names of entities known in a scope, the most recent first.
--
-- Served by entities_pkey.
SELECT name FROM entities
WHERE scope = %(scope)s AND tombstoned IS NULL
ORDER BY last_seen DESC, entity
LIMIT %(most)s
