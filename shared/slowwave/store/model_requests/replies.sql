-- The requests of a window's present plan, with their texts and replies, in order of position.
--
-- Served by model_chunks_pkey, model_requests_pkey, model_payloads_pkey and model_replies_used.
SELECT
    r.request, r.state, r.reason, r.positions, r.quotes, r.prompt_tokens, r.most_tokens, p.words, a.raw
FROM model_chunks c
JOIN model_windows w USING (model_window, plan)
JOIN model_requests r USING (request)
LEFT JOIN model_payloads p USING (request)
LEFT JOIN model_replies a ON a.request = r.request AND a.n = 0
WHERE w.model_window = %(model_window)s
ORDER BY r.positions, r.request
