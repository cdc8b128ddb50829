-- Records the outcome of a run, and releases the lease of its scope if it is held under this fence.
--
-- Served by runs_pkey and scope_leases_pkey.
WITH ended AS (
    UPDATE runs
    SET
        finished = slowwave_now(), outcome = %(outcome)s, counts = %(counts)s::jsonb, error = %(error)s, hi = %(hi)s
    WHERE run = %(run)s
)
UPDATE scope_leases
SET until = NULL
WHERE
    scope = %(scope)s
    AND fence = %(fence)s
