-- Locks the lease row of a scope that no worker holds; returns its last recorded time, or nothing if a worker holds the
-- scope.
--
-- Served by scope_leases_pkey.
SELECT last_recorded
FROM scope_leases
WHERE
    scope = %(scope)s
    AND (until IS NULL OR until < slowwave_now())
FOR UPDATE SKIP LOCKED
