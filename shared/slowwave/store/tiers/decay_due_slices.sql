-- The slices of tenants in which a memory is due for decay.
--
-- Served by standing_decay_due: one lookup per tenant and slice, however much is stored.
SELECT slowwave_slice_id(t.tenant, %(job)s, n.slice) AS scope, t.tenant, n.slice
FROM tenants t
CROSS JOIN generate_series(0, %(slices)s - 1) AS n (slice)
CROSS JOIN (SELECT slowwave_now() AS now) AS clock
WHERE
    EXISTS (
        SELECT FROM standing s WHERE s.tenant = t.tenant AND s.slice = n.slice AND s.decay_due <= clock.now
    )
ORDER BY scope
