-- Takes the scope's lease with a higher fence than any fence before. Ends an earlier run whose worker vanished.
--
-- Served by scope_leases_pkey and runs_one_running.
WITH gone AS (
    UPDATE runs SET finished = slowwave_now(), outcome = 'vanished' WHERE scope = %(scope)s AND finished IS NULL
)
UPDATE scope_leases
SET
    fence = fence + 1, owner = %(owner)s, since = slowwave_now(),
    until = slowwave_now() + make_interval(secs => %(lease)s)
WHERE scope = %(scope)s
RETURNING fence
