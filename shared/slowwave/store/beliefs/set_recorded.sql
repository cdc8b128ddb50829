-- Writes down the last time recorded in a scope, whose lease the transaction has locked.
--
-- Served by scope_leases_pkey.
UPDATE scope_leases
SET last_recorded = %(last)s
WHERE scope = %(scope)s
