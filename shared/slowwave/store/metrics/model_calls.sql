-- Today's model calls of some tenants, by outcome, with their tokens and millionths of currency.
--
-- Served by model_calls_day (tenant, day); acts as dispatch.
SELECT
    coalesce(outcome, 'running') AS outcome, count(*) AS calls, coalesce(sum(spent_tokens), 0)::bigint AS tokens,
    coalesce(sum(spent_micros), 0)::bigint AS micros
FROM model_calls
WHERE tenant = ANY(%(tenants)s::text[]) AND day = (SELECT (slowwave_now() AT TIME ZONE 'UTC')::date)
GROUP BY outcome
ORDER BY outcome
