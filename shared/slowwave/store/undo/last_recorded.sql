-- The last recorded time of a scope.
--
-- Served by scope_leases_pkey.
SELECT last_recorded FROM scope_leases WHERE scope = %(scope)s
