-- A model call for which a caller waits belongs to no request. It names its user, and counts in the quotas of this user.

ALTER TABLE model_calls ADD COLUMN user_id text;
COMMENT ON COLUMN model_calls.user_id IS 'The user for whom a caller waits; null for requests of the queue, and if erased.';
CREATE INDEX model_calls_user ON model_calls (tenant, user_id) WHERE user_id IS NOT NULL;
GRANT UPDATE (user_id) ON model_calls TO slowwave_eraser;

CREATE OR REPLACE FUNCTION slowwave_users_over_budget(of_tenant text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
    WITH limits AS MATERIALIZED (
        SELECT what, applies, user_id, most FROM quotas
        WHERE tenant = of_tenant AND what IN ('tokens-a-day', 'cents-a-day') AND applies <> 'tenant' AND most IS NOT NULL
    ),
    spent AS MATERIALIZED (
        SELECT
            coalesce(c.user_id, h.user_id) AS user_id, sum(coalesce(c.spent_tokens, c.reserved_tokens)) AS tokens,
            sum(coalesce(c.spent_micros, c.reserved_micros)) AS micros
        FROM model_calls c LEFT JOIN model_requests r USING (request) LEFT JOIN scope_heads h ON h.scope = r.scope
        WHERE
            c.tenant = of_tenant AND c.day = (slowwave_now() AT TIME ZONE 'UTC')::date
            AND EXISTS (SELECT FROM limits) AND coalesce(c.user_id, h.user_id) IS NOT NULL
        GROUP BY 1
    )
    SELECT DISTINCT s.user_id
    FROM spent s JOIN limits l
        ON l.user_id = s.user_id OR (
            l.applies = 'each user'
            AND NOT EXISTS (SELECT FROM limits own WHERE own.what = l.what AND own.user_id = s.user_id)
        )
    WHERE CASE l.what WHEN 'tokens-a-day' THEN s.tokens >= l.most ELSE s.micros >= l.most * 10000 END
$$;
COMMENT ON FUNCTION slowwave_users_over_budget(text) IS
    'The users of a tenant whose model calls of today have used up their quota of tokens or cents. Served by '
    'model_calls_day, model_requests_pkey and scope_heads_pkey; without such a quota, by quotas_pkey alone.';
