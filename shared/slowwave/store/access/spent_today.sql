-- The tokens and millionths of the currency that models cost a tenant, or one of its users, today. Calls that run count
-- with the reserved cost.
--
-- Served by model_calls_day, model_requests_pkey and scope_heads_pkey.
SELECT
    coalesce(sum(coalesce(c.spent_tokens, c.reserved_tokens)), 0)::bigint AS tokens,
    coalesce(sum(coalesce(c.spent_micros, c.reserved_micros)), 0)::bigint AS micros
FROM model_calls AS c
LEFT JOIN model_requests AS r ON r.request = c.request
LEFT JOIN scope_heads AS h ON h.scope = r.scope
WHERE
    c.tenant = slowwave_tenant() AND c.day = (slowwave_now() AT TIME ZONE 'UTC')::date
    AND (%(user)s::text = '' OR coalesce(c.user_id, h.user_id) = %(user)s::text)
