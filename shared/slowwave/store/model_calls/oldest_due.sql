-- The oldest requests of a tenant that are due, limited in number, locked for this sender.
--
-- Served by model_requests_pending.
SELECT r.request, r.scope, r.prompt_tokens, r.most_tokens
FROM model_requests r
WHERE
    r.tenant = %(tenant)s AND r.state = 'pending' AND r.pack = ANY(%(packs)s::text[])
    AND r.model = ANY(%(models)s::text[])
    AND (
        r.not_before <= slowwave_now()
        OR r.not_before > slowwave_now() + make_interval(secs => 2 * %(longest)s)
    )
ORDER BY r.created, r.positions, r.request
LIMIT %(most)s
FOR UPDATE SKIP LOCKED
