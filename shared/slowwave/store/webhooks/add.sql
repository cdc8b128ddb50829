-- Inserts a webhook of the tenant, which gets the deltas recorded from a given time on. Returns the webhook with the
-- columns of webhooks/list.
--
-- Served by no index: it writes one row.
INSERT INTO webhooks (tenant, url, secret, kinds, user_id, agent, channel, recorded)
VALUES (slowwave_tenant(), %(url)s, %(secret)s, %(kinds)s, %(user)s, %(agent)s, %(channel)s, %(recorded)s)
RETURNING webhook, url, kinds, user_id, agent, channel, created, delivered, attempts, failing, trouble, disabled, due;
