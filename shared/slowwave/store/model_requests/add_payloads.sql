-- Inserts the texts of requests, once each.
--
-- Guarded by model_payloads_pkey.
INSERT INTO model_payloads (request, tenant, words)
SELECT request, slowwave_tenant(), words::jsonb
FROM unnest(%(requests)s::text[], %(words)s::text[]) AS new (request, words)
ON CONFLICT DO NOTHING
