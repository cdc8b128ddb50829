-- A request that failed three times while no other request was answered. This sender claims it for a test call.
--
-- Served by model_requests_unwitnessed and model_breakers_pkey.
UPDATE model_requests
SET unwitnessed = 0
WHERE
    request = (
        SELECT r.request FROM model_requests r
        JOIN model_breakers b ON b.provider = %(provider)s AND b.open_until <= slowwave_now()
        WHERE
            r.state = 'pending' AND r.unwitnessed >= 3 AND r.pack = ANY(%(packs)s::text[])
            AND r.model = ANY(%(models)s::text[])
        ORDER BY r.created, r.request
        LIMIT 1
        FOR UPDATE OF r SKIP LOCKED
    )
RETURNING request, pack, last
