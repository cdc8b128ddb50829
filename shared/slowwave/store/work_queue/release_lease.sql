-- Releases the lease of a scope, if it is held under this fence.
--
-- Served by scope_leases_pkey.
UPDATE scope_leases
SET until = NULL
WHERE
    scope = %(scope)s
    AND fence = %(fence)s
