-- Quotas of one user and of each user, quotas of model costs, and the weight of a tenant among others.

ALTER TABLE quotas
ADD COLUMN applies text DEFAULT 'tenant' NOT NULL,
ADD COLUMN user_id text DEFAULT '' NOT NULL,
DROP CONSTRAINT quotas_pkey,
DROP CONSTRAINT quotas_what_check,
ADD CONSTRAINT quotas_pkey PRIMARY KEY (tenant, what, applies, user_id),
ADD CONSTRAINT quotas_applies_check CHECK (
    applies IN ('tenant', 'each user', 'user') AND (applies = 'user') = (user_id <> '')
),
ADD CONSTRAINT quotas_what_check CHECK (
    what IN ('episodes-a-minute', 'bytes-a-day', 'recalls-a-minute', 'episodes-waiting', 'tokens-a-day',
    'cents-a-day', 'runs-in-turn')
);
COMMENT ON TABLE quotas IS
    'The quotas of tenants and users, most of them token buckets. A tenant or user without a row has no limit.';
COMMENT ON COLUMN quotas.applies IS 'Whether the limit is one for the whole tenant, one for each user, or of one user.';
COMMENT ON COLUMN quotas.user_id IS 'The user of a row that applies to one user.';
COMMENT ON COLUMN quotas.most IS 'The limit; null once it was removed, and for users who have the limit of each user.';
CREATE POLICY every_tenant ON quotas FOR SELECT TO slowwave_dispatch USING (true);
GRANT SELECT (tenant, what, applies, user_id, most) ON quotas TO slowwave_dispatch;
CREATE POLICY own_tenant_to_erase ON quotas TO slowwave_eraser
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
GRANT SELECT, DELETE ON quotas TO slowwave_eraser;

CREATE FUNCTION slowwave_users_over_budget(of_tenant text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
    WITH limits AS MATERIALIZED (
        SELECT what, applies, user_id, most FROM quotas
        WHERE tenant = of_tenant AND what IN ('tokens-a-day', 'cents-a-day') AND applies <> 'tenant' AND most IS NOT NULL
    ),
    spent AS MATERIALIZED (
        SELECT
            h.user_id, sum(coalesce(c.spent_tokens, c.reserved_tokens)) AS tokens,
            sum(coalesce(c.spent_micros, c.reserved_micros)) AS micros
        FROM model_calls c JOIN model_requests r USING (request) JOIN scope_heads h ON h.scope = r.scope
        WHERE
            c.tenant = of_tenant AND c.day = (slowwave_now() AT TIME ZONE 'UTC')::date
            AND EXISTS (SELECT FROM limits)
        GROUP BY h.user_id
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
