-- Has a webhook of the tenant told again, from where it was left; tells it.
--
-- Served by webhooks_pkey.
UPDATE webhooks SET disabled = NULL, failing = NULL, trouble = NULL, attempts = 0, due = slowwave_now()
WHERE webhook = %(webhook)s AND tenant = slowwave_tenant() AND removed IS NULL
RETURNING webhook, url, kinds, user_id, agent, channel, created, delivered, attempts, failing, trouble, disabled, due;
