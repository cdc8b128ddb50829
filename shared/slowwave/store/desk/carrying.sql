-- The requests of a scope that are about some of these positions, or quote them, locked in key order.
--
-- Served by model_requests_scope: a scope's own requests.
SELECT request
FROM model_requests
WHERE scope = %(scope)s AND (positions || quotes) && %(positions)s::bigint[]
ORDER BY request
FOR UPDATE
