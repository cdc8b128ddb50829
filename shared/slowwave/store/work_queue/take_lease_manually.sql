-- Takes a scope that no worker holds, under a new fence; returns its last recorded time.
--
-- Served by scope_leases_pkey.
UPDATE scope_leases
SET fence = fence + 1
WHERE
    scope = %(scope)s
    AND (until IS NULL OR until < slowwave_now())
RETURNING last_recorded
