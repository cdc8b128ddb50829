-- The texts of a claimed request, with the complaint about its last reply.
--
-- Served by model_requests_pkey, model_payloads_pkey and model_replies_request.
SELECT
    r.request, r.tenant, r.scope, r.pack, r.positions, r.quotes, r.prompt_tokens, r.most_tokens, p.words,
    (
        SELECT a.complaint FROM model_replies a
        WHERE a.request = r.request AND a.n > 0
        ORDER BY a.n DESC LIMIT 1
    ) AS complaint,
    (SELECT a.raw FROM model_replies a WHERE a.call = %(call)s) AS unread
FROM model_requests r
JOIN model_payloads p USING (request)
WHERE r.request = %(request)s AND p.words IS NOT NULL
