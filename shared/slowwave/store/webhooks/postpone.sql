-- Releases a webhook, which is due again after a time. With an error, counts a failed attempt. Disables the webhook if
-- its receiver wants no more deliveries or has failed for too long.
--
-- Served by webhooks_pkey.
UPDATE webhooks SET
    due = slowwave_now() + make_interval(secs => %(seconds)s),
    held_until = NULL,
    attempts = attempts + CASE WHEN %(trouble)s::text IS NULL THEN 0 ELSE 1 END,
    failing = CASE WHEN %(trouble)s::text IS NULL THEN failing ELSE coalesce(failing, slowwave_now()) END,
    trouble = coalesce(%(trouble)s::text, trouble),
    disabled = CASE
        WHEN %(gone)s THEN slowwave_now()
        WHEN %(trouble)s::text IS NOT NULL AND failing < slowwave_now() - make_interval(secs => %(patience)s)
            THEN slowwave_now()
    END
WHERE webhook = %(webhook)s AND token = %(token)s
RETURNING disabled IS NOT NULL AS disabled;
