-- API keys and their rate limits, quotas of tenants, webhooks.

CREATE TABLE api_keys (
    key uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant text NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    verbs text[] NOT NULL,
    created timestamptz DEFAULT slowwave_now() NOT NULL,
    revoked timestamptz,
    CONSTRAINT api_keys_pkey PRIMARY KEY (key),
    CONSTRAINT api_keys_hash_key UNIQUE (hash),
    CONSTRAINT api_keys_hash_check CHECK (octet_length(hash) = 32),
    CONSTRAINT api_keys_verbs_check CHECK (cardinality(verbs) > 0)
);
COMMENT ON TABLE api_keys IS 'Keys of HTTP callers, each with its tenant and allowed verbs. Revoked keys stay.';
COMMENT ON COLUMN api_keys.hash IS
    'SHA-256 of the key. The key has 256 random bits, so nobody can recover it from the hash.';
SELECT slowwave_isolate('api_keys');
CREATE POLICY every_tenant ON api_keys TO slowwave_dispatch USING (true);
GRANT SELECT, INSERT, UPDATE (revoked) ON api_keys TO slowwave_app;
GRANT SELECT ON api_keys TO slowwave_dispatch;

CREATE TABLE api_buckets (
    key uuid NOT NULL,
    verb text NOT NULL,
    tenant text NOT NULL,
    level double precision NOT NULL,
    seen timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT api_buckets_pkey PRIMARY KEY (key, verb),
    CONSTRAINT api_buckets_level_check CHECK (level >= 0)
) WITH (fillfactor = 50);
COMMENT ON TABLE api_buckets IS
    'The rate-limit tokens that a key had left for a verb at its last request; they refill every second.';
SELECT slowwave_isolate('api_buckets');
CREATE POLICY every_tenant ON api_buckets TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON api_buckets TO slowwave_app;
GRANT SELECT, INSERT, UPDATE (level, seen) ON api_buckets TO slowwave_dispatch;

CREATE TABLE quotas (
    tenant text NOT NULL,
    what text NOT NULL,
    most bigint,
    level double precision NOT NULL,
    seen timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT quotas_pkey PRIMARY KEY (tenant, what),
    CONSTRAINT quotas_what_check CHECK (
        what IN ('episodes-a-minute', 'bytes-a-day', 'recalls-a-minute', 'episodes-waiting')
    ),
    CONSTRAINT quotas_most_check CHECK (most > 0)
);
COMMENT ON TABLE quotas IS 'The quotas of tenants, each a token bucket. A tenant without a row has no limit.';
COMMENT ON COLUMN quotas.most IS 'The limit; null once it was removed.';
COMMENT ON COLUMN quotas.level IS 'The tokens left when it was last drawn from; it refills over the period.';
COMMENT ON COLUMN quotas.seen IS 'The time at which it was last drawn from.';
SELECT slowwave_isolate('quotas');
GRANT SELECT, INSERT, UPDATE (most, level, seen) ON quotas TO slowwave_app;

CREATE TABLE webhooks (
    webhook uuid DEFAULT gen_random_uuid() NOT NULL,
    tenant text NOT NULL,
    url text NOT NULL,
    secret text NOT NULL,
    kinds text[] NOT NULL,
    user_id text,
    agent text,
    channel text,
    created timestamptz DEFAULT slowwave_now() NOT NULL,
    removed timestamptz,
    recorded timestamptz NOT NULL,
    delta uuid,
    delivered bigint DEFAULT 0 NOT NULL,
    due timestamptz DEFAULT slowwave_now() NOT NULL,
    held_until timestamptz,
    token bigint DEFAULT 0 NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    failing timestamptz,
    trouble text,
    disabled timestamptz,
    CONSTRAINT webhooks_pkey PRIMARY KEY (webhook)
);
COMMENT ON TABLE webhooks IS
    'Webhooks of a tenant, each with its last delivered delta. Removed ones stay, without secret.';
COMMENT ON COLUMN webhooks.secret IS
    'The signing key, in clear text. Only the role that delivers may read it, no tenant.';
COMMENT ON COLUMN webhooks.delta IS 'The last delta that was delivered or filtered out; no earlier delta is pending.';
CREATE INDEX webhooks_due ON webhooks (due) WHERE removed IS NULL AND disabled IS NULL;
SELECT slowwave_isolate('webhooks');
CREATE POLICY every_tenant ON webhooks TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT (webhook, tenant, url, kinds, user_id, agent, channel, created, removed, recorded, delta, delivered,
    due, attempts, failing, trouble, disabled), INSERT, UPDATE (secret, removed, due, attempts, failing, trouble,
    disabled)
ON webhooks TO slowwave_app;
GRANT
    SELECT, UPDATE (recorded, delta, delivered, due, held_until, token, attempts, failing, trouble, disabled)
ON webhooks TO slowwave_dispatch;
