-- The heads of these scopes, and whether their names were erased, locked in id order, so that two pushes never
-- deadlock.
--
-- Served by scope_heads_pkey. A separate statement, because a statement that waits for the lock would read the keys as
-- they were before the wait.
SELECT scope, head, erased IS NOT NULL AS nameless
FROM scope_heads WHERE scope = ANY(%(scopes)s::uuid[]) ORDER BY scope FOR UPDATE
