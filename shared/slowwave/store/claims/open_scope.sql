-- Locks the lease row of a scope in which nobody works; gives the last time recorded there, or nothing if somebody
-- does.
--
-- Served by scope_leases_pkey.
SELECT last_recorded
FROM scope_leases
WHERE
    scope = %(scope)s
    AND (until IS NULL OR until < slowwave_now())
FOR UPDATE SKIP LOCKED
