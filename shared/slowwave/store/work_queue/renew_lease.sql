-- Extends a lease, if it is still held under this fence.
--
-- Served by scope_leases_pkey.
UPDATE scope_leases
SET until = slowwave_now() + make_interval(secs => %(lease)s)
WHERE
    scope = %(scope)s
    AND fence = %(fence)s
    AND until IS NOT NULL
