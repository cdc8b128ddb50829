-- The slots whose lease has expired, with their calls, locked for this sender.
--
-- One scan of model_slots: a few rows per provider. A lease that ends more than two leases ahead counts as expired.
SELECT s.provider, s.slot, s.call, c.request, c.tenant, c.looks, c.started, c.finished IS NOT NULL AS over
FROM model_slots s
JOIN model_calls c USING (call)
WHERE s.until < slowwave_now() OR s.until > slowwave_now() + make_interval(secs => 2 * %(lease)s)
ORDER BY s.provider, s.slot
FOR UPDATE OF s SKIP LOCKED
