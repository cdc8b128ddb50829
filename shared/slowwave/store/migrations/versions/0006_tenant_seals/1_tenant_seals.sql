-- Seals of tenants: without them, nobody sees that a ledger lost its last deltas together with their seals.

CREATE TABLE tenant_seals (
    tenant text NOT NULL,
    made timestamptz NOT NULL,
    until timestamptz NOT NULL,
    seal bytea NOT NULL,
    CONSTRAINT tenant_seals_pkey PRIMARY KEY (tenant, made)
);
COMMENT ON TABLE tenant_seals IS 'Nightly seals over the seals of all ledgers of a tenant. Append-only by grant.';
COMMENT ON COLUMN tenant_seals.made IS 'It covers the seals of ledgers that were made up to then.';
COMMENT ON COLUMN tenant_seals.until IS 'All deltas that were recorded before then have a seal.';
COMMENT ON COLUMN tenant_seals.seal IS 'HMAC-SHA256 of the previous one and the ledgers'' seals since.';
SELECT slowwave_isolate('tenant_seals');
GRANT SELECT, INSERT ON tenant_seals TO slowwave_app;
CREATE POLICY every_tenant ON tenant_seals FOR SELECT TO slowwave_dispatch USING (true);
GRANT SELECT (tenant, made) ON tenant_seals TO slowwave_dispatch;
