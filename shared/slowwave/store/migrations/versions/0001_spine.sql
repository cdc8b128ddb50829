-- The spine: inbox, schedule, intents, runs, ledger, beliefs. Run as slowwave_owner.
-- The roles slowwave_app and slowwave_dispatch and the extension vector are there before (see bootstrap.sql).

CREATE FUNCTION slowwave_now() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT clock_timestamp()';
COMMENT ON FUNCTION slowwave_now() IS 'The one clock: every time that is stored comes from here.';

CREATE FUNCTION slowwave_tenant() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    tenant text := current_setting('slowwave.tenant', true);
BEGIN
    IF tenant IS NULL OR tenant = '' THEN
        RAISE insufficient_privilege USING MESSAGE = 'no tenant is set for this transaction';
    END IF;
    RETURN tenant;
END $$;
COMMENT ON FUNCTION slowwave_tenant() IS 'The tenant of this transaction; an error, never nothing, when none is set.';

CREATE TABLE tenants (
	tenant TEXT NOT NULL, 
	fingerprint_key BYTEA NOT NULL, 
	born TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	CONSTRAINT tenants_pkey PRIMARY KEY (tenant), 
	CONSTRAINT tenants_key_length_check CHECK (octet_length(fingerprint_key) = 32)
);
COMMENT ON TABLE tenants IS 'Who is isolated from whom, and the key that fingerprints a tenant''s facts.';

CREATE TABLE scope_heads (
	scope UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	user_id TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	head BIGINT DEFAULT 0 NOT NULL, 
	born TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	CONSTRAINT scope_heads_pkey PRIMARY KEY (scope), 
	CONSTRAINT scope_heads_tenant_user_id_agent_channel_key UNIQUE (tenant, user_id, agent, channel)
)
 WITH (fillfactor = 50);
COMMENT ON TABLE scope_heads IS 'The last position of a scope. Locked by push only.';

CREATE TABLE scope_leases (
	scope UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	fence BIGINT DEFAULT 0 NOT NULL, 
	since TIMESTAMP WITH TIME ZONE, 
	until TIMESTAMP WITH TIME ZONE, 
	owner TEXT, 
	last_recorded TIMESTAMP WITH TIME ZONE DEFAULT '1970-01-01 00:00:00+00' NOT NULL, 
	CONSTRAINT scope_leases_pkey PRIMARY KEY (scope)
)
 WITH (fillfactor = 50);
COMMENT ON TABLE scope_leases IS 'Who works on a scope, until when. Locked by claim, heartbeat and apply only.';

CREATE TABLE watermarks (
	scope UUID NOT NULL, 
	pack TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	position BIGINT DEFAULT 0 NOT NULL, 
	suspect BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT watermarks_pkey PRIMARY KEY (scope, pack)
)
 WITH (fillfactor = 50);
COMMENT ON TABLE watermarks IS 'Up to where a pack has consolidated a scope; windows stay small until they pass *suspect*.';

CREATE TABLE episode_keys (
	scope UUID NOT NULL, 
	id UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	position BIGINT NOT NULL, 
	received TIMESTAMP WITH TIME ZONE NOT NULL, 
	digest BYTEA NOT NULL, 
	CONSTRAINT episode_keys_pkey PRIMARY KEY (scope, id), 
	CONSTRAINT episode_keys_scope_position_key UNIQUE (scope, position)
);
COMMENT ON TABLE episode_keys IS 'Which episodes are known, where they stand and what they said. Narrow and unpartitioned.';

CREATE TABLE episodes (
	scope UUID NOT NULL, 
	position BIGINT NOT NULL, 
	received TIMESTAMP WITH TIME ZONE NOT NULL, 
	tenant TEXT NOT NULL, 
	id UUID NOT NULL, 
	key TEXT NOT NULL, 
	occurred TIMESTAMP WITH TIME ZONE NOT NULL, 
	session TEXT NOT NULL, 
	role TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	speaker TEXT, 
	content TEXT NOT NULL, 
	metadata JSONB DEFAULT '{}'::jsonb NOT NULL, 
	terms TSVECTOR GENERATED ALWAYS AS (to_tsvector('english'::regconfig, content)) STORED, 
	CONSTRAINT episodes_pkey PRIMARY KEY (scope, position, received)
)
 PARTITION BY RANGE (received);
COMMENT ON TABLE episodes IS 'What happened, immutable, partitioned by month of receipt.';

CREATE TABLE embedding_spaces (
	space SMALLINT GENERATED ALWAYS AS IDENTITY, 
	tenant TEXT NOT NULL, 
	name TEXT NOT NULL, 
	dimensions INTEGER NOT NULL, 
	CONSTRAINT embedding_spaces_pkey PRIMARY KEY (space), 
	CONSTRAINT embedding_spaces_name_key UNIQUE (name)
);
COMMENT ON TABLE embedding_spaces IS 'A model, its version and its dimensions. Vectors of two spaces are never compared.';

CREATE TABLE episode_vectors (
	scope UUID NOT NULL, 
	position BIGINT NOT NULL, 
	space SMALLINT NOT NULL, 
	tenant TEXT NOT NULL, 
	embedding VECTOR NOT NULL, 
	CONSTRAINT episode_vectors_pkey PRIMARY KEY (scope, position, space)
);
COMMENT ON TABLE episode_vectors IS 'What an episode means to an embedder. Prepared after the episode is stored.';

CREATE TABLE packs (
	pack TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	job TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	digest BYTEA NOT NULL, 
	active BOOLEAN DEFAULT true NOT NULL, 
	registered TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	CONSTRAINT packs_pkey PRIMARY KEY (pack)
);
COMMENT ON TABLE packs IS 'The rule packs this installation runs, and the job that runs each.';

CREATE TABLE schedules (
	schedule TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	job TEXT NOT NULL, 
	pack TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	every INTEGER, 
	seconds DOUBLE PRECISION, 
	cron TEXT, 
	zone TEXT, 
	missed TEXT DEFAULT 'catch_up' NOT NULL, 
	next_due TIMESTAMP WITH TIME ZONE, 
	paused BOOLEAN DEFAULT false NOT NULL, 
	CONSTRAINT schedules_pkey PRIMARY KEY (schedule), 
	CONSTRAINT schedules_kind_check CHECK (kind IN ('count', 'age', 'cron', 'interval', 'manual')), 
	CONSTRAINT schedules_missed_check CHECK (missed IN ('catch_up', 'skip'))
);
COMMENT ON TABLE schedules IS 'When each job of a pack comes due.';

CREATE TABLE firings (
	schedule TEXT NOT NULL, 
	scope UUID NOT NULL, 
	at_window TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	fired TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	fired_by TEXT NOT NULL, 
	CONSTRAINT firings_pkey PRIMARY KEY (schedule, scope, at_window)
);
COMMENT ON TABLE firings IS 'A schedule came due for a scope and window: once, however many schedulers run.';

CREATE TABLE intents (
	intent BIGINT GENERATED ALWAYS AS IDENTITY, 
	scope UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	job TEXT NOT NULL, 
	pack TEXT NOT NULL, 
	state TEXT DEFAULT 'pending' NOT NULL, 
	target BIGINT NOT NULL, 
	due TIMESTAMP WITH TIME ZONE NOT NULL, 
	hastened BOOLEAN DEFAULT false NOT NULL, 
	lo BIGINT, 
	hi BIGINT, 
	fence BIGINT, 
	vanished INTEGER DEFAULT 0 NOT NULL, 
	strikes INTEGER DEFAULT 0 NOT NULL, 
	chosen BIGINT[], 
	CONSTRAINT intents_pkey PRIMARY KEY (intent), 
	CONSTRAINT intents_state_check CHECK (state IN ('pending', 'running')), 
	CONSTRAINT intents_window_check CHECK ((state = 'running') = (lo IS NOT NULL AND hi IS NOT NULL))
)
 WITH (fillfactor = 50);
CREATE INDEX intents_due ON intents (due, intent);
CREATE UNIQUE INDEX intents_one_pending ON intents (scope, job, pack) WHERE state = 'pending';
CREATE UNIQUE INDEX intents_one_running ON intents (scope, job, pack) WHERE state = 'running';
CREATE INDEX intents_waiting ON intents (pack, due) WHERE state = 'pending' AND NOT hastened;
COMMENT ON TABLE intents IS 'Work to do. Done work leaves this table; its runs remain.';

CREATE TABLE runs (
	run BIGINT GENERATED ALWAYS AS IDENTITY, 
	scope UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	job TEXT NOT NULL, 
	pack TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	intent BIGINT NOT NULL, 
	lo BIGINT NOT NULL, 
	hi BIGINT NOT NULL, 
	fence BIGINT NOT NULL, 
	owner TEXT NOT NULL, 
	started TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	finished TIMESTAMP WITH TIME ZONE, 
	outcome TEXT, 
	counts JSONB DEFAULT '{}'::jsonb NOT NULL, 
	settings JSONB DEFAULT '{}'::jsonb NOT NULL, 
	error TEXT, 
	CONSTRAINT runs_pkey PRIMARY KEY (run), 
	CONSTRAINT runs_finished_check CHECK ((finished IS NULL) = (outcome IS NULL))
);
CREATE INDEX runs_finished ON runs (finished) WHERE outcome = 'ok';
CREATE INDEX runs_of_scope ON runs (scope, run);
CREATE UNIQUE INDEX runs_one_running ON runs (scope) WHERE finished IS NULL;
COMMENT ON TABLE runs IS 'Every attempt at an intent: who, which window, how it ended.';

CREATE TABLE extraction_journal (
	scope UUID NOT NULL, 
	pack TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	lo BIGINT NOT NULL, 
	hi BIGINT NOT NULL, 
	tenant TEXT NOT NULL, 
	reply JSONB NOT NULL, 
	written TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	CONSTRAINT extraction_journal_pkey PRIMARY KEY (scope, pack, version, lo, hi)
);
COMMENT ON TABLE extraction_journal IS 'What a model answered about a window, before it was used. The first writer wins.';

CREATE TABLE dead_letters (
	letter BIGINT GENERATED ALWAYS AS IDENTITY, 
	tenant TEXT NOT NULL, 
	scope UUID, 
	pack TEXT, 
	episode UUID, 
	position BIGINT, 
	category TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	item JSONB, 
	state TEXT DEFAULT 'open' NOT NULL, 
	born TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	CONSTRAINT dead_letters_pkey PRIMARY KEY (letter), 
	CONSTRAINT dead_letters_state_check CHECK (state IN ('open', 'retried', 'dropped'))
);
CREATE UNIQUE INDEX dead_letters_one_open ON dead_letters (scope, pack, episode, category) WHERE state = 'open' AND episode IS NOT NULL;
COMMENT ON TABLE dead_letters IS 'What could not be used, and why: an episode for a pack, a message, or a delta for review.';

CREATE TABLE beliefs (
	belief BIGINT GENERATED ALWAYS AS IDENTITY, 
	scope UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	digest BYTEA NOT NULL, 
	CONSTRAINT beliefs_pkey PRIMARY KEY (belief), 
	CONSTRAINT beliefs_scope_digest_key UNIQUE (scope, digest)
);
COMMENT ON TABLE beliefs IS 'A number for what may hold one value at a time; the digest is keyed, for facts can be guessed.';

CREATE TABLE facts (
	version BIGINT GENERATED ALWAYS AS IDENTITY, 
	scope UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	fact UUID NOT NULL, 
	belief BIGINT NOT NULL, 
	subject TEXT NOT NULL, 
	predicate TEXT NOT NULL, 
	object TEXT NOT NULL, 
	single_valued BOOLEAN NOT NULL, 
	valid TSTZRANGE NOT NULL, 
	recorded TSTZRANGE NOT NULL, 
	confidence DOUBLE PRECISION NOT NULL, 
	rule TEXT NOT NULL, 
	position BIGINT NOT NULL, 
	session TEXT NOT NULL, 
	terms TSVECTOR GENERATED ALWAYS AS (to_tsvector('english'::regconfig, subject || ' ' || replace(predicate, '_', ' ') || ' ' || object)) STORED, 
	CONSTRAINT facts_pkey PRIMARY KEY (version), 
	CONSTRAINT facts_confidence_check CHECK (confidence >= 0 AND confidence <= 1), 
	CONSTRAINT facts_ranges_check CHECK (NOT isempty(valid) AND NOT isempty(recorded)), 
	CONSTRAINT facts_one_live_version EXCLUDE USING gist (int8range(belief, belief, '[]') WITH &&, valid WITH &&, recorded WITH &&)
);
CREATE INDEX facts_of_delta ON facts (fact);
CREATE INDEX facts_open ON facts (scope, belief) WHERE upper_inf(recorded);
CREATE INDEX facts_open_recent ON facts (scope, position) WHERE upper_inf(recorded);
COMMENT ON TABLE facts IS 'What is believed: versions that open and close in valid and in recorded time. The fold of the ledger.';

CREATE TABLE fact_vectors (
	scope UUID NOT NULL, 
	fact UUID NOT NULL, 
	space SMALLINT NOT NULL, 
	tenant TEXT NOT NULL, 
	embedding VECTOR NOT NULL, 
	CONSTRAINT fact_vectors_pkey PRIMARY KEY (scope, fact, space)
);
COMMENT ON TABLE fact_vectors IS 'What a fact means to an embedder.';

CREATE TABLE standing (
	scope UUID NOT NULL, 
	memory UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	tier TEXT NOT NULL, 
	base DOUBLE PRECISION NOT NULL, 
	anchor TIMESTAMP WITH TIME ZONE NOT NULL, 
	access_count INTEGER DEFAULT 0 NOT NULL, 
	surprise DOUBLE PRECISION DEFAULT 0 NOT NULL, 
	last_access TIMESTAMP WITH TIME ZONE, 
	next_due_at TIMESTAMP WITH TIME ZONE, 
	CONSTRAINT standing_pkey PRIMARY KEY (scope, memory)
)
 WITH (fillfactor = 50);
CREATE INDEX standing_due ON standing (next_due_at);
COMMENT ON TABLE standing IS 'A memory''s tier, strength and accesses: derived, mutable, not belief.';

CREATE TABLE deltas (
	id UUID NOT NULL, 
	scope UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	run BIGINT, 
	pack TEXT NOT NULL, 
	rule TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	mode TEXT NOT NULL, 
	position BIGINT NOT NULL, 
	belief BIGINT, 
	fact UUID, 
	replaces UUID[] DEFAULT '{}'::uuid[] NOT NULL, 
	valid TSTZRANGE, 
	confidence DOUBLE PRECISION NOT NULL, 
	recorded TIMESTAMP WITH TIME ZONE NOT NULL, 
	fingerprint BYTEA NOT NULL, 
	payload_digest BYTEA NOT NULL, 
	CONSTRAINT deltas_pkey PRIMARY KEY (id), 
	CONSTRAINT deltas_scope_recorded_key UNIQUE (scope, recorded), 
	CONSTRAINT deltas_kind_check CHECK (kind IN ('add', 'update', 'delete', 'noop')), 
	CONSTRAINT deltas_replaces_check CHECK (kind NOT IN ('update', 'delete') OR cardinality(replaces) > 0), 
	CONSTRAINT deltas_confidence_check CHECK (confidence >= 0 AND confidence <= 1)
);
CREATE INDEX deltas_confirming ON deltas (scope, fact) WHERE kind = 'noop'::text;
CREATE INDEX deltas_remembered ON deltas (scope, fingerprint) WHERE mode = ANY (ARRAY['end'::text, 'forget'::text]);
COMMENT ON TABLE deltas IS 'Every delta ever applied: the skeleton. Append-only by grant.';

CREATE TABLE delta_payloads (
	delta UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	payload JSONB NOT NULL, 
	CONSTRAINT delta_payloads_pkey PRIMARY KEY (delta)
);
COMMENT ON TABLE delta_payloads IS 'What a delta said, in words. Erasable without breaking the fold.';

CREATE TABLE delta_sources (
	delta UUID NOT NULL, 
	ordinal SMALLINT NOT NULL, 
	tenant TEXT NOT NULL, 
	episode UUID NOT NULL, 
	key TEXT NOT NULL, 
	position BIGINT NOT NULL, 
	span_start INTEGER NOT NULL, 
	span_end INTEGER NOT NULL, 
	CONSTRAINT delta_sources_pkey PRIMARY KEY (delta, ordinal)
);
COMMENT ON TABLE delta_sources IS 'The words a delta rests on: characters of an episode''s content, end exclusive.';

CREATE TABLE audit_log (
	id BIGINT GENERATED ALWAYS AS IDENTITY, 
	at TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	tenant TEXT NOT NULL, 
	scope UUID, 
	operation TEXT NOT NULL, 
	memory_type TEXT NOT NULL, 
	run BIGINT, 
	detail JSONB DEFAULT '{}'::jsonb NOT NULL, 
	settings JSONB DEFAULT '{}'::jsonb NOT NULL, 
	CONSTRAINT audit_log_pkey PRIMARY KEY (id, at)
)
 PARTITION BY RANGE (at);
CREATE INDEX audit_log_operation ON audit_log (operation, at);
COMMENT ON TABLE audit_log IS 'Who changed what, in the transaction of the change, partitioned by day.';

CREATE TABLE processes (
	process TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	role TEXT NOT NULL, 
	started TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	seen TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	CONSTRAINT processes_pkey PRIMARY KEY (process)
);
COMMENT ON TABLE processes IS 'Which schedulers and workers have made progress, and when.';

-- Who may do what. An append-only table is one on which nobody holds UPDATE or DELETE.

GRANT SELECT, INSERT ON
    tenants, scope_heads, scope_leases, watermarks, episode_keys, episodes, episode_vectors, embedding_spaces,
    firings, intents, runs, extraction_journal, dead_letters, beliefs, facts, fact_vectors, standing,
    deltas, delta_payloads, delta_sources, audit_log, processes
TO slowwave_app;
GRANT SELECT ON packs, schedules TO slowwave_app;
GRANT UPDATE ON scope_leases, watermarks, intents, runs, standing, processes TO slowwave_app;
GRANT UPDATE (head) ON scope_heads TO slowwave_app;
GRANT UPDATE (recorded) ON facts TO slowwave_app;
GRANT UPDATE (state) ON dead_letters TO slowwave_app;
GRANT DELETE ON intents, standing TO slowwave_app;

GRANT SELECT ON scope_heads TO slowwave_dispatch;
GRANT SELECT, UPDATE ON scope_leases TO slowwave_dispatch;
GRANT SELECT, INSERT, UPDATE ON watermarks, runs, packs, schedules, processes TO slowwave_dispatch;
GRANT SELECT, INSERT, UPDATE, DELETE ON intents TO slowwave_dispatch;
GRANT DELETE ON schedules TO slowwave_dispatch;
GRANT SELECT, INSERT ON firings TO slowwave_dispatch;

-- Row-level security, forced, on every table: the app sees one tenant, dispatch sees all but no content.

DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'alembic_version'
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        IF name NOT IN ('packs', 'schedules', 'embedding_spaces', 'processes') THEN
            EXECUTE format(
                'CREATE POLICY own_tenant ON %I TO slowwave_app '
                'USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()))', name);
        ELSE
            EXECUTE format(
                'CREATE POLICY own_tenant_or_system ON %I TO slowwave_app '
                'USING (tenant IN ((SELECT slowwave_tenant()), ''_system'')) '
                'WITH CHECK (tenant IN ((SELECT slowwave_tenant()), ''_system''))', name);
        END IF;
    END LOOP;
    FOREACH name IN ARRAY ARRAY[
        'scope_heads', 'scope_leases', 'watermarks', 'runs', 'packs', 'schedules', 'intents', 'firings', 'processes']
    LOOP
        EXECUTE format('CREATE POLICY every_tenant ON %I TO slowwave_dispatch USING (true) WITH CHECK (true)', name);
    END LOOP;
END $$;

-- Partitions: nobody but the owner reaches them past their parent.

CREATE FUNCTION slowwave_make_partitions(ahead interval) RETURNS integer LANGUAGE plpgsql SET timezone = 'UTC' AS $$
DECLARE
    made integer := 0;
    first timestamptz;
    name text;
BEGIN
    FOR first IN
        SELECT generate_series(date_trunc('month', slowwave_now(), 'UTC'), slowwave_now() + ahead, interval '1 month')
    LOOP
        name := 'episodes_' || to_char(first AT TIME ZONE 'UTC', 'YYYY_MM');
        made := made + slowwave_make_partition('episodes', name, first, first + interval '1 month');
    END LOOP;
    FOR first IN
        SELECT generate_series(date_trunc('day', slowwave_now(), 'UTC'), slowwave_now() + ahead, interval '1 day')
    LOOP
        name := 'audit_log_' || to_char(first AT TIME ZONE 'UTC', 'YYYY_MM_DD');
        made := made + slowwave_make_partition('audit_log', name, first, first + interval '1 day');
    END LOOP;
    RETURN made;
END $$;

CREATE FUNCTION slowwave_make_partition(parent text, name text, lo timestamptz, hi timestamptz)
RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass(quote_ident(name)) IS NOT NULL THEN
        RETURN 0;
    END IF;
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', name, parent, lo, hi);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    RETURN 1;
EXCEPTION WHEN check_violation THEN
    RAISE WARNING 'partition % is not made: rows of its time lie in the default partition', name;
    RETURN 0;
END $$;

REVOKE EXECUTE ON FUNCTION slowwave_make_partitions(interval) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION slowwave_make_partition(text, text, timestamptz, timestamptz) FROM PUBLIC;

CREATE TABLE episodes_default PARTITION OF episodes DEFAULT;
CREATE TABLE audit_log_default PARTITION OF audit_log DEFAULT;
ALTER TABLE episodes_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE episodes_default FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_log_default ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log_default FORCE ROW LEVEL SECURITY;
