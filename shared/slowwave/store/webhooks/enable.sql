-- Enables a webhook of the tenant again, from where it stopped, and returns it.
--
-- Served by webhooks_pkey.
UPDATE webhooks SET disabled = NULL, failing = NULL, trouble = NULL, attempts = 0, due = slowwave_now()
WHERE webhook = %(webhook)s AND tenant = slowwave_tenant() AND removed IS NULL
RETURNING webhook, url, kinds, user_id, agent, channel, created, delivered, attempts, failing, trouble, disabled, due;
