-- Locks the lease row under a run's fence; returns the scope's last recorded time, or nothing if the lease is lost.
--
-- Served by scope_leases_pkey.
SELECT last_recorded
FROM scope_leases
WHERE
    scope = %(scope)s
    AND fence = %(fence)s
    AND until IS NOT NULL
FOR UPDATE
