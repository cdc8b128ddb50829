-- Opens the day's budget of every tenant with pending requests, with the caps in force.
--
-- Served by model_requests_pending and model_budgets_pkey.
INSERT INTO model_budgets AS b (tenant, day, cap_tokens, cap_micros)
SELECT DISTINCT tenant, (slowwave_now() AT TIME ZONE 'UTC')::date, %(cap_tokens)s::bigint, %(cap_micros)s::bigint
FROM model_requests
WHERE state = 'pending'
ORDER BY tenant
ON CONFLICT (tenant, day) DO UPDATE
    SET cap_tokens = excluded.cap_tokens, cap_micros = excluded.cap_micros
    WHERE (b.cap_tokens, b.cap_micros) IS DISTINCT FROM (excluded.cap_tokens, excluded.cap_micros)
