-- The lifecycle of memories: tiers, promotions, conversations, segments, legal holds.

-- The indexes of what is due begin with the slice, so that only the jobs that work on a slice use them.
CREATE TABLE standing (
    scope uuid NOT NULL,
    memory uuid NOT NULL,
    created timestamptz NOT NULL,
    base double precision NOT NULL,
    surprise double precision DEFAULT 0 NOT NULL,
    access_count integer DEFAULT 0 NOT NULL,
    frequency integer DEFAULT 0 NOT NULL,
    successes integer DEFAULT 0 NOT NULL,
    slice smallint GENERATED ALWAYS AS ((get_byte(uuid_send(scope), 0) >> 4)::smallint) STORED,
    pinned boolean DEFAULT false NOT NULL,
    tenant text NOT NULL,
    kind text NOT NULL,
    source text DEFAULT 'stated' NOT NULL,
    tier text NOT NULL,
    last_access timestamptz,
    reinforced timestamptz,
    evidence timestamptz,
    moved timestamptz,
    decay_due timestamptz,
    sweep_due timestamptz,
    promote_due timestamptz,
    accesses timestamptz[] DEFAULT '{}' NOT NULL,
    CONSTRAINT standing_pkey PRIMARY KEY (scope, memory),
    CONSTRAINT standing_source_check CHECK (source IN ('stated', 'inferred', 'statement'))
) WITH (fillfactor = 50);
COMMENT ON TABLE standing IS 'The tier, strength and accesses of a memory: derived and mutable.';
CREATE INDEX standing_promote_due ON standing (scope, promote_due) WHERE promote_due IS NOT NULL;
CREATE INDEX standing_decay_due ON standing (slice, tenant, decay_due);
CREATE INDEX standing_sweep_due ON standing (slice, tenant, sweep_due) WHERE sweep_due IS NOT NULL;
SELECT slowwave_isolate('standing'), slowwave_guard_scope('standing', 'scope', '');
CREATE POLICY every_tenant ON standing TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT, INSERT, UPDATE (created, base, surprise, access_count, frequency, successes, pinned, kind, source,
    tier, last_access, reinforced, evidence, moved, decay_due, sweep_due, promote_due, accesses), DELETE
ON standing TO slowwave_app;
GRANT
    SELECT (scope, created, slice, tenant, kind, last_access, reinforced, decay_due, sweep_due, promote_due)
ON standing TO slowwave_dispatch;

CREATE TABLE tier_moves (
    move bigint GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    scope uuid NOT NULL,
    memory uuid NOT NULL,
    from_tier text NOT NULL,
    to_tier text NOT NULL,
    reason text NOT NULL,
    at timestamptz DEFAULT slowwave_now() NOT NULL,
    run bigint,
    CONSTRAINT tier_moves_pkey PRIMARY KEY (move)
);
COMMENT ON TABLE tier_moves IS 'All tier moves of memories. Append-only by grant.';
CREATE INDEX tier_moves_at ON tier_moves (tenant, at);
SELECT slowwave_isolate('tier_moves'), slowwave_guard_scope('tier_moves', 'scope', '');
GRANT SELECT, INSERT ON tier_moves TO slowwave_app;

CREATE TABLE promotions (
    promotion bigint GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    target uuid NOT NULL,
    fact uuid NOT NULL,
    source_scope uuid NOT NULL,
    source_fact uuid NOT NULL,
    confirmed boolean NOT NULL,
    policy jsonb NOT NULL,
    promoted timestamptz NOT NULL,
    undone timestamptz,
    due timestamptz,
    CONSTRAINT promotions_pkey PRIMARY KEY (promotion)
);
COMMENT ON TABLE promotions IS 'Promotions of facts from a project channel to `_global`, with start and revocation.';
CREATE INDEX promotions_due ON promotions (due) WHERE due IS NOT NULL;
CREATE UNIQUE INDEX promotions_one_live ON promotions (target, source_fact) WHERE undone IS NULL;
CREATE INDEX promotions_source ON promotions (source_fact);
SELECT
    slowwave_isolate('promotions'),
    slowwave_guard_scope('promotions', 'target', ''),
    slowwave_guard_scope('promotions', 'source_scope', '');
CREATE POLICY every_tenant ON promotions TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT, INSERT, UPDATE (target, fact, source_scope, source_fact, confirmed, policy, promoted, undone, due)
ON promotions TO slowwave_app;
GRANT SELECT (tenant, target, due) ON promotions TO slowwave_dispatch;

CREATE TABLE conversations (
    scope uuid NOT NULL,
    session text NOT NULL,
    tenant text NOT NULL,
    slice smallint GENERATED ALWAYS AS ((get_byte(uuid_send(scope), 0) >> 4)::smallint) STORED,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    episodes bigint NOT NULL,
    archived timestamptz,
    tombstoned timestamptz,
    touched timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT conversations_pkey PRIMARY KEY (scope, session)
);
COMMENT ON TABLE conversations IS 'Sessions of a scope: begin, end and archive state.';
COMMENT ON COLUMN conversations.archived IS 'Default recall omits episodes received up to this time.';
COMMENT ON COLUMN conversations.tombstoned IS
    'Episodes received up to this time are expired, and their partition may be dropped.';
COMMENT ON COLUMN conversations.touched IS
    'The time of its last episode or restore; the archive measures its age from here.';
CREATE INDEX conversations_archived ON conversations (tenant, slice, touched) WHERE archived IS NOT NULL;
CREATE INDEX conversations_hidden ON conversations (scope) WHERE archived IS NOT NULL OR tombstoned IS NOT NULL;
CREATE INDEX conversations_open ON conversations (tenant, slice, touched) WHERE archived IS NULL;
SELECT slowwave_isolate('conversations'), slowwave_guard_scope('conversations', 'scope', '');
CREATE POLICY every_tenant ON conversations TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT, INSERT, UPDATE (first_at, last_at, episodes, archived, tombstoned, touched)
ON conversations TO slowwave_app;
GRANT SELECT (scope, tenant, slice, last_at, archived, tombstoned, touched) ON conversations TO slowwave_dispatch;

CREATE TABLE segments (
    scope uuid NOT NULL,
    session text NOT NULL,
    number integer NOT NULL,
    tenant text NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    distance double precision NOT NULL,
    closed timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT segments_pkey PRIMARY KEY (scope, session, number)
);
COMMENT ON TABLE segments IS
    'The finished topics of a session: first and last position, and the distance of the next topic.';
CREATE INDEX segments_last ON segments (scope, last);
SELECT slowwave_isolate('segments'), slowwave_guard_scope('segments', 'scope', '');
CREATE POLICY every_tenant ON segments FOR SELECT TO slowwave_dispatch USING (true);
GRANT SELECT, INSERT ON segments TO slowwave_app;
GRANT SELECT (scope, tenant, last) ON segments TO slowwave_dispatch;

CREATE TABLE running_segments (
    scope uuid NOT NULL,
    session text NOT NULL,
    tenant text NOT NULL,
    number integer NOT NULL,
    first bigint NOT NULL,
    recent bigint[] NOT NULL,
    before bigint[] NOT NULL,
    CONSTRAINT running_segments_pkey PRIMARY KEY (scope, session)
);
COMMENT ON TABLE running_segments IS
    'The running topic of a session: its first position, its newest events, and those of the previous topic.';
SELECT slowwave_isolate('running_segments'), slowwave_guard_scope('running_segments', 'scope', '');
GRANT SELECT, INSERT, UPDATE (number, first, recent, before) ON running_segments TO slowwave_app;

CREATE TABLE legal_holds (
    hold bigint GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    scope uuid,
    reason text NOT NULL,
    placed timestamptz DEFAULT slowwave_now() NOT NULL,
    released timestamptz,
    CONSTRAINT legal_holds_pkey PRIMARY KEY (hold)
);
COMMENT ON TABLE legal_holds IS
    'Legal holds on a scope or a whole tenant. While one is in force, nothing fades or is archived.';
CREATE INDEX legal_holds_in_force ON legal_holds (tenant, scope) WHERE released IS NULL;
SELECT slowwave_isolate('legal_holds');
CREATE POLICY every_tenant ON legal_holds TO slowwave_dispatch USING (true);
GRANT SELECT, INSERT, UPDATE (released) ON legal_holds TO slowwave_app;
GRANT SELECT (tenant, scope, released) ON legal_holds TO slowwave_dispatch;

CREATE FUNCTION slowwave_legal_holds(of_tenant text, of_scope uuid) RETURNS TABLE (tenant text)
LANGUAGE sql STABLE AS $$
    SELECT h.tenant FROM legal_holds h
    WHERE h.tenant = of_tenant AND h.released IS NULL AND (h.scope IS NULL OR h.scope = of_scope)
$$;
COMMENT ON FUNCTION slowwave_legal_holds(text, uuid) IS
    'The legal holds in force on a scope, its tenant''s included. Served by legal_holds_in_force; planned as if '
    'written out.';
