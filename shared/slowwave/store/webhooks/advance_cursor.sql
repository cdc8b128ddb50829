-- Moves a webhook's cursor past a delta, and extends the claim. Returns no row if another process holds the claim.
--
-- Served by webhooks_pkey.
UPDATE webhooks SET
    recorded = %(recorded)s, delta = %(delta)s, delivered = delivered + %(delivered)s,
    held_until = slowwave_now() + make_interval(secs => %(seconds)s),
    attempts = CASE WHEN %(delivered)s > 0 THEN 0 ELSE attempts END,
    failing = CASE WHEN %(delivered)s > 0 THEN NULL ELSE failing END,
    trouble = CASE WHEN %(delivered)s > 0 THEN NULL ELSE trouble END
WHERE webhook = %(webhook)s AND token = %(token)s AND removed IS NULL AND disabled IS NULL
RETURNING webhook;
