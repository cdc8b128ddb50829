-- The heads of these scopes, and whether their names were erased, locked in id order, so that two pushes never
-- deadlock.
--
-- Served by scope_heads_pkey. A statement of its own, as a statement that waited for the lock would still see the keys
-- of before.
SELECT scope, head, erased IS NOT NULL AS nameless
FROM scope_heads WHERE scope = ANY(%(scopes)s::uuid[]) ORDER BY scope FOR UPDATE
