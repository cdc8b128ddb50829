-- Takes a scope in which nobody works, under a new fence; gives the last time recorded there.
--
-- Served by scope_leases_pkey.
UPDATE scope_leases
SET fence = fence + 1
WHERE
    scope = %(scope)s
    AND (until IS NULL OR until < slowwave_now())
RETURNING last_recorded
