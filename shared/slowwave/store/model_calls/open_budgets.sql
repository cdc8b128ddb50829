-- Opens the day's budget of every tenant with pending requests, with the caps in force. A quota of the tenant replaces
-- the cap of the installation.
--
-- Served by model_requests_pending, quotas_pkey and model_budgets_pkey.
INSERT INTO model_budgets AS b (tenant, day, cap_tokens, cap_micros)
SELECT
    p.tenant, (slowwave_now() AT TIME ZONE 'UTC')::date, coalesce(tokens.most, %(cap_tokens)s::bigint),
    coalesce(cents.most * 10000, %(cap_micros)s::bigint)
FROM (
    SELECT DISTINCT tenant FROM model_requests WHERE state = 'pending' AND %(of)s::text IS NULL
    UNION
    SELECT %(of)s WHERE %(of)s::text IS NOT NULL
) AS p
LEFT JOIN quotas AS tokens
    ON tokens.tenant = p.tenant AND tokens.what = 'tokens-a-day' AND tokens.applies = 'tenant'
LEFT JOIN quotas AS cents ON cents.tenant = p.tenant AND cents.what = 'cents-a-day' AND cents.applies = 'tenant'
ORDER BY p.tenant
ON CONFLICT (tenant, day) DO UPDATE
    SET cap_tokens = excluded.cap_tokens, cap_micros = excluded.cap_micros
    WHERE (b.cap_tokens, b.cap_micros) IS DISTINCT FROM (excluded.cap_tokens, excluded.cap_micros)
