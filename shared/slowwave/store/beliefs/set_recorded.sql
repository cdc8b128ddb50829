-- Updates the last recorded time of a scope whose lease the transaction has locked, and returns it: decisions are
-- recorded from now on, or from *first* if the clock is behind it; the last one is *more* later.
--
-- A lock until the end of the transaction tells others since when it may record: see beliefs/horizon.
--
-- Served by scope_leases_pkey.
UPDATE scope_leases SET last_recorded = greatest(slowwave_now(), %(first)s::timestamptz) + %(more)s::interval
FROM (
    SELECT pg_advisory_xact_lock_shared(
        (hashtext(%(whose)s || slowwave_tenant())::bigint << 32)
        | (floor(extract(EPOCH FROM slowwave_now()) * 1000)::bigint & 2147483647)
    )
) AS told
WHERE scope = %(scope)s
RETURNING last_recorded
