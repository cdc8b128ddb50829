-- The pending requests of a tenant, oldest first, with their texts. If a live provider exists, requests for which a
-- given number of batches expired are left out. Requests of users who have used up their quota of the day are left out.
--
-- Served by model_requests_pending, scope_heads_pkey, model_payloads_pkey and model_calls_request.
SELECT r.request, r.scope, r.pack, r.model, r.positions, r.quotes, r.prompt_tokens, r.most_tokens, p.words
FROM model_requests r
JOIN model_payloads p USING (request)
WHERE
    r.tenant = %(tenant)s AND r.state = 'pending' AND p.words IS NOT NULL
    AND (
        NOT %(live)s
        OR %(expiries)s > (
            SELECT count(*) FROM model_calls c WHERE c.request = r.request AND c.outcome = 'expired'
        )
    )
    AND NOT EXISTS (
        SELECT FROM scope_heads AS h
        WHERE h.scope = r.scope AND h.user_id IN (SELECT slowwave_users_over_budget(%(tenant)s))
    )
ORDER BY r.created, r.positions, r.request
LIMIT %(most)s
