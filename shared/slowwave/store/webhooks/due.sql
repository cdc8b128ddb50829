-- The webhooks that may have pending deltas and that no process serves, each with its due time.
--
-- Served by webhooks_due, and for each by deltas_in_order.
SELECT w.webhook, w.due
FROM webhooks w
WHERE
    w.removed IS NULL AND w.disabled IS NULL AND w.due <= slowwave_now()
    AND (w.held_until IS NULL OR w.held_until < slowwave_now())
    AND EXISTS (
        SELECT FROM deltas d
        WHERE
            d.tenant = w.tenant
            AND (d.recorded, d.id) > (w.recorded, coalesce(w.delta, '00000000-0000-0000-0000-000000000000'::uuid))
    )
ORDER BY w.due, w.webhook
LIMIT %(most)s;
