-- An overview of a tenant's model requests in one row: pending requests, today's cost, and the time until which the
-- budget pauses requests.
--
-- Served by model_requests_pending, model_windows_waiting, model_budgets_pkey and runs_finished, a day of it; asked
-- requests are few.
WITH today AS MATERIALIZED (SELECT (slowwave_now() AT TIME ZONE 'UTC')::date AS day),
oldest AS MATERIALIZED (
    SELECT prompt_tokens + most_tokens AS tokens FROM model_requests
    WHERE tenant = %(tenant)s AND state = 'pending' AND not_before <= slowwave_now()
    ORDER BY created, positions, request
    LIMIT 1
),
read AS MATERIALIZED (
    SELECT
        coalesce(sum((counts ->> 'replies')::bigint), 0) AS replies,
        coalesce(sum((counts ->> 'silent')::bigint), 0) AS silent
    FROM runs
    WHERE
        outcome = 'ok' AND finished > slowwave_now() - INTERVAL '1 day'
        AND tenant = %(tenant)s AND job = 'consolidate'
)
SELECT
    (SELECT count(*) FROM model_requests WHERE tenant = %(tenant)s AND state = 'pending') AS pending,
    (SELECT count(*) FROM model_requests WHERE tenant = %(tenant)s AND state = 'asked') AS asked,
    (SELECT count(*) FROM model_windows WHERE tenant = %(tenant)s AND state = 'waiting') AS windows,
    coalesce(b.spent_tokens, 0) AS spent_tokens,
    coalesce(b.spent_micros, 0) / 1000000.0::double precision AS spent_money,
    b.cap_tokens,
    b.cap_micros / 1000000.0::double precision AS cap_money,
    CASE
        WHEN
            b.spent_tokens + b.reserved_tokens + oldest.tokens > b.cap_tokens
            OR b.spent_micros + b.reserved_micros >= b.cap_micros
            THEN (today.day + 1)::timestamp AT TIME ZONE 'UTC'
    END AS paused_until,
    read.replies::integer AS replies,
    read.silent::integer AS without_claims
FROM today
CROSS JOIN read
LEFT JOIN model_budgets b ON b.tenant = %(tenant)s AND b.day = today.day
LEFT JOIN oldest ON true
