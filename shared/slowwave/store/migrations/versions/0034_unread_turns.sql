-- Turns of users in languages that nothing read when they came. As the owner.

CREATE TABLE unread_turns (
    scope UUID NOT NULL,
    position BIGINT NOT NULL,
    tenant TEXT NOT NULL,
    received TIMESTAMP WITH TIME ZONE NOT NULL,
    session TEXT NOT NULL,
    language TEXT NOT NULL,
    CONSTRAINT unread_turns_pkey PRIMARY KEY (scope, position)
);
COMMENT ON TABLE unread_turns IS
'Turns of users in languages that nothing read when they came: nothing was learned from them.';
CREATE INDEX unread_turns_received ON unread_turns (tenant, received);

ALTER TABLE unread_turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE unread_turns FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON unread_turns TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
GRANT SELECT, INSERT, DELETE ON unread_turns TO slowwave_app;
SELECT slowwave_guard_scope('unread_turns', 'scope', '');
