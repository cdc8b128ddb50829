-- Updates and returns the last recorded time of a scope. Decisions are recorded from now on, or from *first* if the
-- clock is behind *first*. The last decision is recorded *more* later. The transaction has locked the scope's lease.
--
-- An advisory lock until the end of the transaction tells other transactions the time from which this one may record;
-- see beliefs/horizon.
--
-- Served by scope_leases_pkey.
UPDATE scope_leases SET last_recorded = greatest(slowwave_now(), %(first)s::timestamptz) + %(more)s::interval
FROM (
    SELECT pg_advisory_xact_lock_shared(
        (hashtext(%(lock)s || slowwave_tenant())::bigint << 32)
        | (floor(extract(EPOCH FROM slowwave_now()) * 1000)::bigint & 2147483647)
    )
) AS told
WHERE scope = %(scope)s
RETURNING last_recorded
