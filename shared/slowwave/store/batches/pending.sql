-- The pending requests of a tenant, oldest first, with their words.
--
-- Served by model_requests_pending and model_payloads_pkey.
SELECT r.request, r.scope, r.pack, r.model, r.positions, r.quotes, r.prompt_tokens, r.most_tokens, p.words
FROM model_requests r
JOIN model_payloads p USING (request)
WHERE r.tenant = %(tenant)s AND r.state = 'pending' AND p.words IS NOT NULL
ORDER BY r.created, r.positions, r.request
LIMIT %(most)s
