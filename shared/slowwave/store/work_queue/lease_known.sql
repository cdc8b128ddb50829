-- The lease row of a scope. The row exists if the scope has received an episode.
--
-- Served by scope_leases_pkey.
SELECT scope
FROM scope_leases
WHERE scope = %(scope)s
