-- The oldest requests of a tenant that are due, limited in number, locked for this sender. Requests of users who have
-- used up their quota of the day are left out.
--
-- Served by model_requests_pending and scope_heads_pkey.
SELECT r.request, r.scope, r.prompt_tokens, r.most_tokens
FROM model_requests r
WHERE
    r.tenant = %(tenant)s AND r.state = 'pending' AND r.pack = ANY(%(packs)s::text[])
    AND r.model = ANY(%(models)s::text[])
    AND (
        r.not_before <= slowwave_now()
        OR r.not_before > slowwave_now() + make_interval(secs => 2 * %(longest)s)
    )
    AND NOT EXISTS (
        SELECT FROM scope_heads AS h
        WHERE h.scope = r.scope AND h.user_id IN (SELECT slowwave_users_over_budget(%(tenant)s))
    )
ORDER BY r.created, r.positions, r.request
LIMIT %(most)s
FOR UPDATE OF r SKIP LOCKED
