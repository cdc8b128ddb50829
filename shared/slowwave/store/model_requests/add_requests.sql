-- Inserts new requests and locks existing requests, in key order; returns the state of each request.
--
-- Served by model_requests_pkey. A void request becomes pending again.
INSERT INTO model_requests AS r (
    request, tenant, scope, pack, model, edition, round, positions, quotes, prompt_tokens, most_tokens, created
)
SELECT
    request, slowwave_tenant(), %(scope)s, %(pack)s, %(model)s, %(edition)s, round, positions::bigint[],
    quotes::bigint[], prompt_tokens, most_tokens, (SELECT slowwave_now())
FROM
    unnest(
        %(requests)s::text[], %(rounds)s::integer[], %(positions)s::text[], %(quotes)s::text[],
        %(prompt_tokens)s::integer[], %(most_tokens)s::integer[]
    ) AS new (request, round, positions, quotes, prompt_tokens, most_tokens)
ORDER BY request
ON CONFLICT (request) DO UPDATE SET state = CASE WHEN r.state = 'void' THEN 'pending' ELSE r.state END
RETURNING request, state
