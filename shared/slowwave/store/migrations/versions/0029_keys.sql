-- Keys of those who call over HTTP, and what each may still ask for. As the owner.

CREATE TABLE api_keys (
    key UUID DEFAULT gen_random_uuid() NOT NULL,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    hash BYTEA NOT NULL,
    verbs TEXT[] NOT NULL,
    created TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
    revoked TIMESTAMP WITH TIME ZONE,
    CONSTRAINT api_keys_pkey PRIMARY KEY (key),
    CONSTRAINT api_keys_hash_key UNIQUE (hash),
    CONSTRAINT api_keys_hash_check CHECK (octet_length(hash) = 32),
    CONSTRAINT api_keys_verbs_check CHECK (cardinality(verbs) > 0)
);
COMMENT ON TABLE api_keys IS
'Keys of those who call over HTTP: whose tenant each is of, and which verbs it may ask for. Revoked ones stay.';
COMMENT ON COLUMN api_keys.hash IS 'SHA-256 of the key, whose 256 bits are random: what it is, nobody can tell.';

CREATE TABLE api_buckets (
    key UUID NOT NULL,
    verb TEXT NOT NULL,
    tenant TEXT NOT NULL,
    level DOUBLE PRECISION NOT NULL,
    seen TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT api_buckets_pkey PRIMARY KEY (key, verb),
    CONSTRAINT api_buckets_level_check CHECK (level >= 0)
)
WITH (fillfactor = '50');
COMMENT ON TABLE api_buckets IS
'Tokens that a key had left for a verb when it was last seen; they fill up again by the second.';

ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE api_buckets ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_buckets FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON api_keys TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
CREATE POLICY own_tenant ON api_buckets TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
CREATE POLICY every_tenant ON api_keys TO slowwave_dispatch USING (true);
CREATE POLICY every_tenant ON api_buckets TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON api_keys TO slowwave_app;
GRANT UPDATE (revoked) ON api_keys TO slowwave_app;
GRANT SELECT ON api_buckets TO slowwave_app;
GRANT SELECT ON api_keys TO slowwave_dispatch;
GRANT SELECT, INSERT, UPDATE (level, seen) ON api_buckets TO slowwave_dispatch;
