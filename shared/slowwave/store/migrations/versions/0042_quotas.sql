-- Quotas: how much a tenant may push and ask, and how much of it may wait. As the owner.

CREATE TABLE quotas (
    tenant TEXT NOT NULL,
    what TEXT NOT NULL,
    most BIGINT,
    level DOUBLE PRECISION NOT NULL,
    seen TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
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

ALTER TABLE quotas ENABLE ROW LEVEL SECURITY;
ALTER TABLE quotas FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON quotas TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
GRANT SELECT, INSERT ON quotas TO slowwave_app;
GRANT UPDATE (most, level, seen) ON quotas TO slowwave_app;
