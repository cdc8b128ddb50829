-- Of these requests: how many are open and how many are being asked, and whether the quota of their user, or the
-- tenant's budget of the day, allows none of those that wait.
--
-- Served by model_requests_pkey, scope_heads_pkey and model_budgets_pkey.
SELECT
    count(*) AS open,
    count(*) FILTER (WHERE r.state = 'asked') AS running,
    coalesce(bool_and(h.user_id IN (SELECT slowwave_users_over_budget(%(tenant)s))), false) AS over_quota,
    coalesce(bool_and(coalesce(
        b.spent_tokens + b.reserved_tokens + r.prompt_tokens + r.most_tokens > b.cap_tokens
        OR b.spent_micros + b.reserved_micros + r.prompt_tokens * %(prompt_price)s::float8
        + r.most_tokens * %(reply_price)s::float8 > b.cap_micros,
        false
    )), false) AS over_budget
FROM model_requests AS r
JOIN scope_heads AS h ON h.scope = r.scope
LEFT JOIN model_budgets AS b ON b.tenant = r.tenant AND b.day = (slowwave_now() AT TIME ZONE 'UTC')::date
WHERE r.request = ANY(%(requests)s::text[]) AND r.tenant = %(tenant)s AND r.state IN ('pending', 'asked')
