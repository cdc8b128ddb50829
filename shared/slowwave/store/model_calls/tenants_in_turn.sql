-- The tenants with due requests and their caps of the day, in order of turn: by the number of running calls, then by
-- the time at which the tenant was last served.
--
-- Served by model_budgets_pkey and model_requests_pending.
SELECT b.tenant, b.cap_tokens, b.cap_micros
FROM model_budgets b
WHERE
    b.day = (slowwave_now() AT TIME ZONE 'UTC')::date
    AND (b.cap_tokens IS NULL OR b.spent_tokens + b.reserved_tokens < b.cap_tokens)
    AND (b.cap_micros IS NULL OR b.spent_micros + b.reserved_micros < b.cap_micros)
    AND EXISTS (
        SELECT FROM model_requests r
        WHERE
            r.tenant = b.tenant AND r.state = 'pending' AND r.pack = ANY(%(packs)s::text[])
            AND r.model = ANY(%(models)s::text[])
            AND (
                r.not_before <= slowwave_now()
                OR r.not_before > slowwave_now() + make_interval(secs => 2 * %(longest)s)
            )
    )
ORDER BY
    (SELECT count(*) FROM model_slots s WHERE s.of_tenant = b.tenant AND s.call IS NOT NULL), b.served, b.tenant
LIMIT 100
