-- The installation that registered its packs last: if it comes again, it need not read them. As the owner.

CREATE TABLE registrations (
    tenant TEXT NOT NULL,
    digest BYTEA NOT NULL,
    registered TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT registrations_pkey PRIMARY KEY (tenant),
    CONSTRAINT registrations_digest_check CHECK (octet_length(digest) = 32)
);
COMMENT ON TABLE registrations IS
'The installation whose packs and schedules were registered last, where they are all that it has.';
COMMENT ON COLUMN registrations.digest IS 'SHA-256 over its settings and the sizes and times of its files.';

ALTER TABLE registrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE registrations FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON registrations TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON registrations TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON registrations TO slowwave_app;
GRANT SELECT, INSERT, DELETE ON registrations TO slowwave_dispatch;
