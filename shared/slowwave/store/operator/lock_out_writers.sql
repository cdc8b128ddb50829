-- Keeps writers out of a scope until the transaction ends.
--
-- Served by scope_leases_pkey.
SELECT 1
FROM scope_leases
WHERE scope = %(scope)s
FOR SHARE
