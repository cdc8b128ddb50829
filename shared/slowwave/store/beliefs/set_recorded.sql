-- Writes down the last time recorded in a scope, whose lease the transaction has locked, and returns it: decisions are
-- recorded from now on, or from *first* where the clock stands behind, and the last of them so much later.
--
-- Served by scope_leases_pkey.
UPDATE scope_leases SET last_recorded = greatest(slowwave_now(), %(first)s::timestamptz) + %(more)s::interval
WHERE scope = %(scope)s
RETURNING last_recorded
