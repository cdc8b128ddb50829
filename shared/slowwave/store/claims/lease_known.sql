-- The lease row of a scope, where there is one: somebody told something there.
--
-- Served by scope_leases_pkey.
SELECT scope
FROM scope_leases
WHERE scope = %(scope)s
