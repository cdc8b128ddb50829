-- The inbox: scopes, their episodes, and how far they are consolidated.

CREATE TABLE scope_heads (
    scope uuid NOT NULL,
    tenant text NOT NULL,
    user_id text NOT NULL,
    agent text NOT NULL,
    channel text NOT NULL,
    head bigint DEFAULT 0 NOT NULL,
    born timestamptz DEFAULT slowwave_now() NOT NULL,
    touched timestamptz DEFAULT slowwave_now() NOT NULL,
    erased timestamptz,
    CONSTRAINT scope_heads_pkey PRIMARY KEY (scope),
    CONSTRAINT scope_heads_tenant_user_id_agent_channel_key UNIQUE (tenant, user_id, agent, channel)
) WITH (fillfactor = 50);
COMMENT ON TABLE scope_heads IS 'The last position of a scope. Locked by push only.';
COMMENT ON COLUMN scope_heads.touched IS 'When the last episode was received.';
COMMENT ON COLUMN scope_heads.erased IS 'When its names were erased; null again with the next push.';
SELECT slowwave_isolate('scope_heads');
CREATE POLICY every_tenant ON scope_heads TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (user_id, channel, head, touched, erased) ON scope_heads TO slowwave_app;
GRANT SELECT ON scope_heads TO slowwave_dispatch;

CREATE TABLE scope_leases (
    scope uuid NOT NULL,
    tenant text NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    since timestamptz,
    until timestamptz,
    owner text,
    last_recorded timestamptz DEFAULT '1970-01-01 00:00:00+00' NOT NULL,
    CONSTRAINT scope_leases_pkey PRIMARY KEY (scope)
) WITH (fillfactor = 50);
COMMENT ON TABLE scope_leases IS
    'The worker that holds a scope, and the end of its lease. Locked by claim, heartbeat and apply only.';
SELECT slowwave_isolate('scope_leases');
CREATE POLICY every_tenant ON scope_leases TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT, INSERT, UPDATE (fence, since, until, owner, last_recorded)
ON scope_leases TO slowwave_app, slowwave_dispatch;

CREATE TABLE watermarks (
    scope uuid NOT NULL,
    pack text NOT NULL,
    tenant text NOT NULL,
    position bigint DEFAULT 0 NOT NULL,
    suspect bigint DEFAULT 0 NOT NULL,
    planned bigint DEFAULT 0 NOT NULL,
    newest timestamptz,
    CONSTRAINT watermarks_pkey PRIMARY KEY (scope, pack),
    CONSTRAINT watermarks_planned_check CHECK (planned >= position)
) WITH (fillfactor = 50);
COMMENT ON TABLE watermarks IS
    'How far a pack has consolidated and planned a scope. Windows stay small up to *suspect*.';
COMMENT ON COLUMN watermarks.newest IS 'When the latest of the episodes read occurred; NULL if that is not known yet.';
SELECT slowwave_isolate('watermarks');
CREATE POLICY every_tenant ON watermarks TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (position, suspect, planned, newest) ON watermarks TO slowwave_app;
GRANT SELECT, INSERT, UPDATE (position, suspect, planned) ON watermarks TO slowwave_dispatch;

CREATE TABLE episode_keys (
    scope uuid NOT NULL,
    id uuid NOT NULL,
    tenant text NOT NULL,
    position bigint NOT NULL,
    received timestamptz NOT NULL,
    digest bytea NOT NULL,
    erased boolean DEFAULT false NOT NULL,
    CONSTRAINT episode_keys_pkey PRIMARY KEY (scope, id),
    CONSTRAINT episode_keys_scope_position_key UNIQUE (scope, position)
);
COMMENT ON TABLE episode_keys IS
    'The keys of known episodes, with position and content digest. Narrow and unpartitioned.';
COMMENT ON COLUMN episode_keys.erased IS 'What it said was erased; then the digest is keyed.';
SELECT slowwave_isolate('episode_keys'), slowwave_guard_scope('episode_keys', 'scope', '');
CREATE POLICY every_tenant ON episode_keys FOR SELECT TO slowwave_dispatch USING (true);
GRANT SELECT, INSERT ON episode_keys TO slowwave_app;
GRANT SELECT (scope, tenant, position, received) ON episode_keys TO slowwave_dispatch;

-- utc_offset is the offset of the speaker's clock from UTC, in seconds.
CREATE TABLE episodes (
    scope uuid NOT NULL,
    position bigint NOT NULL,
    received timestamptz NOT NULL,
    tenant text NOT NULL,
    id uuid NOT NULL,
    key text NOT NULL,
    occurred timestamptz NOT NULL,
    session text NOT NULL,
    role text NOT NULL,
    kind text NOT NULL,
    speaker text,
    content text NOT NULL,
    metadata jsonb DEFAULT '{}' NOT NULL,
    terms tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, content)) STORED,
    utc_offset integer DEFAULT 0 NOT NULL,
    CONSTRAINT episodes_pkey PRIMARY KEY (scope, position, received)
) PARTITION BY RANGE (received);
COMMENT ON TABLE episodes IS 'Episodes: immutable, partitioned by month of receipt.';
CREATE INDEX episodes_tool_calls ON episodes (scope, position) WHERE kind = 'tool_call';
SELECT slowwave_isolate('episodes'), slowwave_guard_scope('episodes', 'scope', '');
GRANT SELECT, INSERT ON episodes TO slowwave_app;

CREATE TABLE unread_turns (
    scope uuid NOT NULL,
    position bigint NOT NULL,
    tenant text NOT NULL,
    received timestamptz NOT NULL,
    session text NOT NULL,
    language text NOT NULL,
    CONSTRAINT unread_turns_pkey PRIMARY KEY (scope, position)
);
COMMENT ON TABLE unread_turns IS
    'Turns of users in languages that no pack or model read on arrival; they yielded no facts.';
CREATE INDEX unread_turns_received ON unread_turns (tenant, received);
SELECT slowwave_isolate('unread_turns'), slowwave_guard_scope('unread_turns', 'scope', '');
GRANT SELECT, INSERT, DELETE ON unread_turns TO slowwave_app;
