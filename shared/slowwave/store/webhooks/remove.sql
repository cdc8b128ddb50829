-- Removes a webhook of the tenant and its secret, and returns it.
--
-- Served by webhooks_pkey.
UPDATE webhooks SET removed = slowwave_now(), secret = ''
WHERE webhook = %(webhook)s AND tenant = slowwave_tenant() AND removed IS NULL
RETURNING webhook, url, kinds, user_id, agent, channel, created, delivered, attempts, failing, trouble, disabled, due;
