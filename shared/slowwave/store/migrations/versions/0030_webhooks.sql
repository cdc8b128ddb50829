-- Webhooks: addresses that are told each delta, and how far each has been told. As the owner.

CREATE TABLE webhooks (
    webhook UUID DEFAULT gen_random_uuid() NOT NULL,
    tenant TEXT NOT NULL,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    kinds TEXT[] NOT NULL,
    user_id TEXT,
    agent TEXT,
    channel TEXT,
    created TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
    removed TIMESTAMP WITH TIME ZONE,
    recorded TIMESTAMP WITH TIME ZONE NOT NULL,
    delta UUID,
    delivered BIGINT DEFAULT 0 NOT NULL,
    due TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
    held_until TIMESTAMP WITH TIME ZONE,
    token BIGINT DEFAULT 0 NOT NULL,
    attempts BIGINT DEFAULT 0 NOT NULL,
    failing TIMESTAMP WITH TIME ZONE,
    trouble TEXT,
    disabled TIMESTAMP WITH TIME ZONE,
    CONSTRAINT webhooks_pkey PRIMARY KEY (webhook)
);
COMMENT ON TABLE webhooks IS
'Addresses that are told each delta of a tenant, and how far each has been told. Removed ones stay, without secret.';
COMMENT ON COLUMN webhooks.secret IS
'Signs what is sent, so it is kept as it is. No tenant reads it: it is granted to who delivers alone.';
COMMENT ON COLUMN webhooks.delta IS
'The last one that was delivered or is not wanted; of all recorded before, none is owed.';
CREATE INDEX webhooks_due ON webhooks (due) WHERE removed IS NULL AND disabled IS NULL;

ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhooks FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON webhooks TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
CREATE POLICY every_tenant ON webhooks TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT (
    webhook, tenant, url, kinds, user_id, agent, channel, created, removed, recorded, delta, delivered, due, attempts,
    failing, trouble, disabled
) ON webhooks TO slowwave_app;
GRANT INSERT ON webhooks TO slowwave_app;
GRANT UPDATE (secret, removed, due, attempts, failing, trouble, disabled) ON webhooks TO slowwave_app;
GRANT SELECT ON webhooks TO slowwave_dispatch;
GRANT UPDATE (
    recorded, delta, delivered, due, held_until, token, attempts, failing, trouble, disabled
) ON webhooks TO slowwave_dispatch;

CREATE POLICY every_tenant ON deltas FOR SELECT TO slowwave_dispatch USING (true);
GRANT SELECT (tenant, recorded, id) ON deltas TO slowwave_dispatch;
