-- The webhooks of a tenant that were not removed, oldest first.
--
-- Served by a scan of webhooks: a tenant has few, and they are listed by hand.
SELECT webhook, url, kinds, user_id, agent, channel, created, delivered, attempts, failing, trouble, disabled, due
FROM webhooks
WHERE tenant = slowwave_tenant() AND removed IS NULL
ORDER BY created, webhook;
