-- The whole night shift: standing, places, promotions, segments, conversations, strategies. Run as slowwave_owner.

CREATE FUNCTION slowwave_isolate(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
        'CREATE POLICY own_tenant ON %I TO slowwave_app '
        'USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()))', name);
END $$;
COMMENT ON FUNCTION slowwave_isolate(text) IS 'Gives a new table the row-level security of all others.';
REVOKE EXECUTE ON FUNCTION slowwave_isolate(text) FROM PUBLIC;

ALTER TABLE schedules ADD COLUMN threshold DOUBLE PRECISION, ADD COLUMN min_events INTEGER;
ALTER TABLE schedules DROP CONSTRAINT schedules_kind_check;
ALTER TABLE schedules ADD CONSTRAINT schedules_kind_check CHECK (kind IN (
    'count', 'age', 'cron', 'interval', 'manual', 'idle', 'semantic_shift', 'token_pressure', 'capacity',
    'session_end'));

ALTER TABLE delta_sources ADD COLUMN origin UUID;

ALTER TABLE audit_log
    ADD COLUMN user_id TEXT,
    ADD COLUMN session_id TEXT,
    ADD COLUMN conversation_id TEXT,
    ADD COLUMN source_channel TEXT,
    ADD COLUMN target_channels TEXT[],
    ADD COLUMN affected UUID[],
    ADD COLUMN query_text TEXT,
    ADD COLUMN result_count INTEGER,
    ADD COLUMN latency_ms DOUBLE PRECISION,
    ADD COLUMN success BOOLEAN DEFAULT true NOT NULL,
    ADD COLUMN error_message TEXT,
    ADD COLUMN promoted_from_channel TEXT,
    ADD COLUMN promotion_confidence DOUBLE PRECISION,
    ADD COLUMN promotion_access_count INTEGER,
    ADD COLUMN promotion_conversation_count INTEGER;
CREATE INDEX audit_log_user ON audit_log (user_id, at);
CREATE INDEX audit_log_session ON audit_log (session_id, at);
CREATE INDEX audit_log_memory_type ON audit_log (memory_type, at);
CREATE INDEX audit_log_source_channel ON audit_log (source_channel, at);

-- The standing of before, in its new shape: row-level security binds the owner too, so it steps aside meanwhile.

ALTER TABLE standing NO FORCE ROW LEVEL SECURITY;
CREATE TEMPORARY TABLE standing_before ON COMMIT DROP AS SELECT * FROM standing;
DROP TABLE standing;

CREATE TABLE places (
	place UUID NOT NULL,
	tenant TEXT NOT NULL,
	job TEXT NOT NULL,
	slice SMALLINT NOT NULL,
	CONSTRAINT places_pkey PRIMARY KEY (place)
);
COMMENT ON TABLE places IS 'Where a standing job works: one slice of a tenant. Its lease is in scope_leases.';

CREATE TABLE standing (
	scope UUID NOT NULL,
	memory UUID NOT NULL,
	created TIMESTAMP WITH TIME ZONE NOT NULL,
	base DOUBLE PRECISION NOT NULL,
	surprise DOUBLE PRECISION DEFAULT 0 NOT NULL,
	access_count INTEGER DEFAULT 0 NOT NULL,
	frequency INTEGER DEFAULT 0 NOT NULL,
	successes INTEGER DEFAULT 0 NOT NULL,
	slice SMALLINT GENERATED ALWAYS AS ((get_byte(uuid_send(scope), 0) >> 4)::smallint) STORED,
	pinned BOOLEAN DEFAULT false NOT NULL,
	tenant TEXT NOT NULL,
	kind TEXT NOT NULL,
	source TEXT DEFAULT 'stated' NOT NULL,
	tier TEXT NOT NULL,
	last_access TIMESTAMP WITH TIME ZONE,
	reinforced TIMESTAMP WITH TIME ZONE,
	evidence TIMESTAMP WITH TIME ZONE,
	moved TIMESTAMP WITH TIME ZONE,
	decay_due TIMESTAMP WITH TIME ZONE,
	sweep_due TIMESTAMP WITH TIME ZONE,
	promote_due TIMESTAMP WITH TIME ZONE,
	accesses TIMESTAMP WITH TIME ZONE[] DEFAULT '{}'::timestamptz[] NOT NULL,
	CONSTRAINT standing_pkey PRIMARY KEY (scope, memory),
	CONSTRAINT standing_source_check CHECK (source IN ('stated', 'inferred'))
)
 WITH (fillfactor = 50);
CREATE INDEX standing_decay_due ON standing (tenant, slice, decay_due);
CREATE INDEX standing_promote_due ON standing (scope, promote_due) WHERE promote_due IS NOT NULL;
CREATE INDEX standing_sweep_due ON standing (tenant, slice, sweep_due);
COMMENT ON TABLE standing IS 'A memory''s tier, strength and accesses: derived, mutable, not belief.';

CREATE TABLE tier_moves (
	move BIGINT GENERATED ALWAYS AS IDENTITY,
	tenant TEXT NOT NULL,
	scope UUID NOT NULL,
	memory UUID NOT NULL,
	from_tier TEXT NOT NULL,
	to_tier TEXT NOT NULL,
	reason TEXT NOT NULL,
	at TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
	run BIGINT,
	CONSTRAINT tier_moves_pkey PRIMARY KEY (move)
);
CREATE INDEX tier_moves_at ON tier_moves (tenant, at);
COMMENT ON TABLE tier_moves IS 'Every step a memory has taken on its ladder. Append-only by grant.';

CREATE TABLE delta_origins (
	delta UUID NOT NULL,
	ordinal INTEGER NOT NULL,
	tenant TEXT NOT NULL,
	relation TEXT NOT NULL,
	scope UUID NOT NULL,
	memory UUID NOT NULL,
	CONSTRAINT delta_origins_pkey PRIMARY KEY (delta, ordinal),
	CONSTRAINT delta_origins_relation_check CHECK (relation IN ('promoted_from', 'summarises'))
);
CREATE INDEX delta_origins_memory ON delta_origins (memory);
COMMENT ON TABLE delta_origins IS 'The memories a delta was made from: what a promotion copies, what a summary stands for.';

CREATE TABLE promotions (
	promotion BIGINT GENERATED ALWAYS AS IDENTITY,
	tenant TEXT NOT NULL,
	target UUID NOT NULL,
	fact UUID NOT NULL,
	source_scope UUID NOT NULL,
	source_fact UUID NOT NULL,
	confirmed BOOLEAN NOT NULL,
	policy JSONB NOT NULL,
	promoted TIMESTAMP WITH TIME ZONE NOT NULL,
	undone TIMESTAMP WITH TIME ZONE,
	due TIMESTAMP WITH TIME ZONE,
	CONSTRAINT promotions_pkey PRIMARY KEY (promotion)
);
CREATE INDEX promotions_due ON promotions (due) WHERE due IS NOT NULL;
CREATE UNIQUE INDEX promotions_one_live ON promotions (target, source_fact) WHERE undone IS NULL;
CREATE INDEX promotions_source ON promotions (source_fact);
COMMENT ON TABLE promotions IS 'Which fact of a project channel is believed everywhere, since when, and whether it was taken back.';

CREATE TABLE conversations (
	scope UUID NOT NULL,
	session TEXT NOT NULL,
	tenant TEXT NOT NULL,
	slice SMALLINT GENERATED ALWAYS AS ((get_byte(uuid_send(scope), 0) >> 4)::smallint) STORED,
	first_at TIMESTAMP WITH TIME ZONE NOT NULL,
	last_at TIMESTAMP WITH TIME ZONE NOT NULL,
	episodes BIGINT NOT NULL,
	archived TIMESTAMP WITH TIME ZONE,
	tombstoned TIMESTAMP WITH TIME ZONE,
	CONSTRAINT conversations_pkey PRIMARY KEY (scope, session)
);
CREATE INDEX conversations_archived ON conversations (tenant, slice, last_at) WHERE archived IS NOT NULL;
CREATE INDEX conversations_last ON conversations (tenant, slice, last_at) WHERE archived IS NULL;
COMMENT ON TABLE conversations IS 'A session of a scope: when it began and ended, and whether it is archived.';

CREATE TABLE segments (
	scope UUID NOT NULL,
	session TEXT NOT NULL,
	number INTEGER NOT NULL,
	tenant TEXT NOT NULL,
	first BIGINT NOT NULL,
	last BIGINT NOT NULL,
	distance DOUBLE PRECISION NOT NULL,
	closed TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
	CONSTRAINT segments_pkey PRIMARY KEY (scope, session, number)
);
CREATE INDEX segments_last ON segments (scope, last);
COMMENT ON TABLE segments IS 'The topics of a session that are over: positions first to last, and how far the next topic lay.';

CREATE TABLE entities (
	scope UUID NOT NULL,
	entity UUID NOT NULL,
	tenant TEXT NOT NULL,
	slice SMALLINT GENERATED ALWAYS AS ((get_byte(uuid_send(scope), 0) >> 4)::smallint) STORED,
	name TEXT NOT NULL,
	first_seen TIMESTAMP WITH TIME ZONE NOT NULL,
	last_seen TIMESTAMP WITH TIME ZONE NOT NULL,
	faded TIMESTAMP WITH TIME ZONE,
	tombstoned TIMESTAMP WITH TIME ZONE,
	CONSTRAINT entities_pkey PRIMARY KEY (scope, entity)
);
CREATE INDEX entities_faded ON entities (tenant, slice, faded) WHERE faded IS NOT NULL AND tombstoned IS NULL;
COMMENT ON TABLE entities IS 'Who and what facts are about. A tombstoned one comes back with the next fact about it.';

CREATE TABLE holds (
	hold BIGINT GENERATED ALWAYS AS IDENTITY,
	tenant TEXT NOT NULL,
	scope UUID,
	reason TEXT NOT NULL,
	placed TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
	released TIMESTAMP WITH TIME ZONE,
	CONSTRAINT holds_pkey PRIMARY KEY (hold)
);
CREATE INDEX holds_in_force ON holds (tenant, scope) WHERE released IS NULL;
COMMENT ON TABLE holds IS 'Legal holds, on a scope or a whole tenant: while one is in force nothing of it fades or is archived.';

CREATE TABLE strategies (
	scope UUID NOT NULL,
	strategy UUID NOT NULL,
	tenant TEXT NOT NULL,
	task TEXT NOT NULL,
	description TEXT NOT NULL,
	context_pattern TEXT NOT NULL,
	tools TEXT[] NOT NULL,
	successes INTEGER DEFAULT 0 NOT NULL,
	failures INTEGER DEFAULT 0 NOT NULL,
	created TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
	last_used TIMESTAMP WITH TIME ZONE,
	fact UUID,
	space SMALLINT,
	embedding VECTOR,
	CONSTRAINT strategies_pkey PRIMARY KEY (scope, strategy)
);
COMMENT ON TABLE strategies IS 'Ways of doing a task, and how often each has worked and failed. Counts are derived from episodes.';

CREATE TABLE tool_stats (
	scope UUID NOT NULL,
	tool TEXT NOT NULL,
	task TEXT NOT NULL,
	tenant TEXT NOT NULL,
	calls BIGINT DEFAULT 0 NOT NULL,
	successes BIGINT DEFAULT 0 NOT NULL,
	latency_ms DOUBLE PRECISION DEFAULT 0 NOT NULL,
	last_used TIMESTAMP WITH TIME ZONE,
	CONSTRAINT tool_stats_pkey PRIMARY KEY (scope, tool, task)
);
COMMENT ON TABLE tool_stats IS 'How often a tool was called, how often it worked, and how long all its calls took together.';

CREATE TABLE sightings (
	scope UUID NOT NULL,
	pattern UUID NOT NULL,
	bucket TEXT NOT NULL,
	tenant TEXT NOT NULL,
	sources JSONB NOT NULL,
	CONSTRAINT sightings_pkey PRIMARY KEY (scope, pattern, bucket)
);
COMMENT ON TABLE sightings IS 'What a pattern that is not believed yet was seen in: a success of a strategy, a week of a routine.';

INSERT INTO standing (scope, memory, tenant, kind, tier, base, created, access_count, surprise, last_access)
SELECT scope, memory, tenant, kind, tier, base, anchor, access_count, surprise, last_access FROM standing_before;

-- Who may do what. Dispatch sees when something is due, never what it says.

GRANT SELECT, INSERT ON
    places, standing, tier_moves, delta_origins, promotions, conversations, segments, entities, holds, strategies,
    tool_stats, sightings
TO slowwave_app;
GRANT UPDATE ON standing, promotions, conversations, entities, strategies, tool_stats, sightings TO slowwave_app;
GRANT UPDATE (released) ON holds TO slowwave_app;
GRANT DELETE ON standing, strategies, sightings TO slowwave_app;

GRANT SELECT (tenant) ON tenants TO slowwave_dispatch;
GRANT SELECT, INSERT ON places TO slowwave_dispatch;
GRANT INSERT ON scope_leases TO slowwave_dispatch;
GRANT SELECT (scope, tenant, slice, decay_due, sweep_due, promote_due) ON standing TO slowwave_dispatch;
GRANT SELECT (tenant, target, due) ON promotions TO slowwave_dispatch;
GRANT SELECT (tenant, slice, last_at, archived, tombstoned) ON conversations TO slowwave_dispatch;
GRANT SELECT (tenant, slice, faded, tombstoned) ON entities TO slowwave_dispatch;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'places', 'standing', 'tier_moves', 'delta_origins', 'promotions', 'conversations', 'segments', 'entities',
        'holds', 'strategies', 'tool_stats', 'sightings']
    LOOP
        PERFORM slowwave_isolate(name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['tenants', 'places', 'standing', 'promotions', 'conversations', 'entities'] LOOP
        EXECUTE format('CREATE POLICY every_tenant ON %I TO slowwave_dispatch USING (true) WITH CHECK (true)', name);
    END LOOP;
END $$;
