-- The requests of a scope that ask about or quote some of these positions, or that match, locked in key order.
--
-- Served by model_requests_scope, which reads the requests of the scope.
SELECT request
FROM model_requests
WHERE
    scope = %(scope)s
    AND ((positions || quotes) && %(positions)s::bigint[] OR request = ANY(%(matching)s::text[]))
ORDER BY request
FOR UPDATE
