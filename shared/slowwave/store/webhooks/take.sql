-- The webhook that has waited longest among the webhooks with possibly pending deltas. It is claimed for a time, with a
-- new token.
--
-- Served by webhooks_due, and for each by deltas_in_order.
WITH longest AS (
    SELECT w.webhook
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
    LIMIT 1
    FOR UPDATE OF w SKIP LOCKED
)
UPDATE webhooks w SET
    held_until = slowwave_now() + make_interval(secs => %(seconds)s),
    token = w.token + 1
FROM longest l
WHERE w.webhook = l.webhook
RETURNING
    w.webhook, w.tenant, w.url, w.secret, w.kinds, w.user_id, w.agent, w.channel, w.recorded, w.delta, w.token,
    w.attempts
