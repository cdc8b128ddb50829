-- The heads of these scopes, locked in id order, so that two pushes never wait for each other in a circle.
--
-- Served by scope_heads_pkey. A statement of its own: one that waited still sees the keys of before.
SELECT scope, head FROM scope_heads WHERE scope = ANY(%(scopes)s::uuid[]) ORDER BY scope FOR UPDATE
