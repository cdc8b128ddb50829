-- The address and the secret of a webhook of a tenant, for sending.
--
-- Served by webhooks_pkey.
SELECT url, secret FROM webhooks WHERE webhook = %(webhook)s AND tenant = %(tenant)s AND removed IS NULL;
