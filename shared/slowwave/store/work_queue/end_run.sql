-- Records the outcome of a run, ends its intent, if one is given, and releases the lease of its scope if it is held
-- under this fence.
--
-- Served by runs_pkey, intents_pkey and scope_leases_pkey.
WITH fulfilled AS (
    DELETE FROM intents WHERE intent = %(intent)s
),
ended AS (
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
