-- Seals: each night, a keyed hash over the ledger rows of a scope, chained to the seal before. As the owner.

CREATE TABLE ledger_seals (
    scope UUID NOT NULL,
    until TIMESTAMP WITH TIME ZONE NOT NULL,
    tenant TEXT NOT NULL,
    deltas BIGINT NOT NULL,
    seal BYTEA NOT NULL,
    made TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT ledger_seals_pkey PRIMARY KEY (scope, until)
);
COMMENT ON TABLE ledger_seals IS 'Seals of ledgers: each covers the deltas since the one before. Append-only by grant.';
COMMENT ON COLUMN ledger_seals.until IS 'The recorded time of the last delta that it covers.';
COMMENT ON COLUMN ledger_seals.deltas IS 'The number of deltas of the scope up to then.';
COMMENT ON COLUMN ledger_seals.seal IS 'HMAC-SHA256 of the previous seal and the deltas since, under the key of the tenant.';

ALTER TABLE ledger_seals ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger_seals FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger_seals TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
GRANT SELECT, INSERT ON ledger_seals TO slowwave_app;
SELECT slowwave_guard_scope('ledger_seals', 'scope', '');
