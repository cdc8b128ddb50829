-- Those of the given requests that were answered, with their texts and replies, in order of position.
--
-- Served by model_requests_pkey, model_payloads_pkey and model_replies_used.
SELECT
    r.request, r.state, r.reason, r.positions, r.quotes, r.prompt_tokens, r.most_tokens, p.words, a.raw
FROM model_requests r
JOIN model_payloads p USING (request)
JOIN model_replies a ON a.request = r.request AND a.n = 0
WHERE r.request = ANY(%(requests)s::text[]) AND r.state = 'answered' AND p.words IS NOT NULL AND a.raw IS NOT NULL
ORDER BY r.positions, r.request
