-- True if a request may be sent now, or is being sent: the breaker is closed, a request is due, and its budget
-- suffices.
--
-- Served by model_requests_pending, model_breakers_pkey and model_budgets_pkey.
SELECT
    EXISTS (SELECT FROM model_slots WHERE call IS NOT NULL AND until > slowwave_now())
    OR (
        NOT EXISTS (
            SELECT FROM model_breakers WHERE provider = %(provider)s AND open_until > slowwave_now()
        )
        AND EXISTS (
            SELECT FROM model_requests r
            LEFT JOIN model_budgets b
                ON b.tenant = r.tenant AND b.day = (slowwave_now() AT TIME ZONE 'UTC')::date
            WHERE
                r.state = 'pending' AND r.not_before <= slowwave_now() AND r.pack = ANY(%(packs)s::text[])
                AND (
                    b.cap_tokens IS NULL
                    OR b.spent_tokens + b.reserved_tokens + r.prompt_tokens + r.most_tokens <= b.cap_tokens
                )
                AND (b.cap_micros IS NULL OR b.spent_micros + b.reserved_micros < b.cap_micros)
        )
    ) AS due
