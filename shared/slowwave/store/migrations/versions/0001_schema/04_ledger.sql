-- The ledger: all deltas with texts and sources, their seals, and undos.

CREATE TABLE predicates (
    predicate text NOT NULL,
    tenant text NOT NULL,
    single_valued boolean NOT NULL,
    said_by text NOT NULL,
    CONSTRAINT predicates_pkey PRIMARY KEY (predicate)
);
COMMENT ON TABLE predicates IS 'The number of values of each predicate name, as declared when its facts were written.';
ALTER TABLE predicates ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON predicates TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON predicates TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON predicates TO slowwave_app;
GRANT SELECT, INSERT, UPDATE (single_valued, said_by), DELETE ON predicates TO slowwave_dispatch;

CREATE FUNCTION slowwave_refuse_unsourced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.delta_sources s WHERE s.delta = NEW.id) THEN
        RAISE check_violation USING MESSAGE = 'a delta cites no source', CONSTRAINT = 'delta_cites';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION slowwave_refuse_unsourced() IS
    'Refuses a delta for which delta_sources has no row when it is written.';

-- A late claim has the position at which it would have been decided (stands_at). A claim that was decided again names
-- its first decision (again).
CREATE TABLE deltas (
    id uuid NOT NULL,
    scope uuid NOT NULL,
    tenant text NOT NULL,
    run bigint,
    pack text NOT NULL,
    rule text NOT NULL,
    kind text NOT NULL,
    mode text NOT NULL,
    position bigint NOT NULL,
    belief bigint,
    fact uuid,
    replaces uuid[] DEFAULT '{}' NOT NULL,
    valid tstzrange,
    confidence double precision NOT NULL,
    recorded timestamptz NOT NULL,
    fingerprint bytea NOT NULL,
    payload_digest bytea NOT NULL,
    again uuid,
    stands_at timestamptz,
    CONSTRAINT deltas_pkey PRIMARY KEY (id),
    CONSTRAINT deltas_scope_recorded_key UNIQUE (scope, recorded),
    CONSTRAINT deltas_kind_check CHECK (kind IN ('add', 'update', 'delete', 'noop')),
    CONSTRAINT deltas_replaces_check CHECK (kind NOT IN ('update', 'delete') OR cardinality(replaces) > 0),
    CONSTRAINT deltas_confidence_check CHECK (confidence >= 0 AND confidence <= 1)
);
COMMENT ON TABLE deltas IS 'All applied deltas, without texts. Append-only by grant.';
COMMENT ON COLUMN deltas.again IS 'The first decision about the same claim, if a late claim led to a new one.';
COMMENT ON COLUMN deltas.stands_at IS 'The time at which it would have been recorded if its claim had not come late.';
CREATE INDEX deltas_confirming ON deltas (scope, fact) WHERE kind = 'noop';
CREATE INDEX deltas_remembered ON deltas (scope, fingerprint) WHERE mode IN ('end', 'forget');
CREATE INDEX deltas_in_order ON deltas (tenant, recorded, id);
CREATE INDEX deltas_of_run ON deltas (run, recorded) WHERE run IS NOT NULL;
CREATE INDEX deltas_again ON deltas (scope, again, recorded) WHERE again IS NOT NULL;
CREATE INDEX deltas_late ON deltas (scope, stands_at) WHERE stands_at IS NOT NULL;
CREATE CONSTRAINT TRIGGER delta_cites AFTER INSERT ON deltas DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION slowwave_refuse_unsourced();
SELECT slowwave_isolate('deltas'), slowwave_guard_scope('deltas', 'scope', '');
CREATE POLICY every_tenant ON deltas FOR SELECT TO slowwave_dispatch USING (true);
GRANT SELECT, INSERT ON deltas TO slowwave_app;
GRANT SELECT (id, tenant, recorded) ON deltas TO slowwave_dispatch;

CREATE TABLE delta_payloads (
    delta uuid NOT NULL,
    tenant text NOT NULL,
    payload jsonb NOT NULL,
    CONSTRAINT delta_payloads_pkey PRIMARY KEY (delta)
);
COMMENT ON TABLE delta_payloads IS 'The texts of deltas. They can be erased without breaking the fold.';
SELECT slowwave_isolate('delta_payloads');
GRANT SELECT, INSERT ON delta_payloads TO slowwave_app;

CREATE TABLE delta_sources (
    delta uuid NOT NULL,
    ordinal smallint NOT NULL,
    tenant text NOT NULL,
    episode uuid NOT NULL,
    key text NOT NULL,
    position bigint NOT NULL,
    span_start integer NOT NULL,
    span_end integer NOT NULL,
    origin uuid,
    CONSTRAINT delta_sources_pkey PRIMARY KEY (delta, ordinal)
);
COMMENT ON TABLE delta_sources IS
    'The words that support a delta: a range of characters of an episode''s content, end exclusive.';
CREATE INDEX delta_sources_origin ON delta_sources (origin) WHERE origin IS NOT NULL;
SELECT slowwave_isolate('delta_sources');
GRANT SELECT, INSERT ON delta_sources TO slowwave_app;

CREATE TABLE delta_origins (
    delta uuid NOT NULL,
    ordinal integer NOT NULL,
    tenant text NOT NULL,
    relation text NOT NULL,
    scope uuid NOT NULL,
    memory uuid NOT NULL,
    CONSTRAINT delta_origins_pkey PRIMARY KEY (delta, ordinal),
    CONSTRAINT delta_origins_relation_check CHECK (relation IN ('promoted_from', 'summarises'))
);
COMMENT ON TABLE delta_origins IS 'The memories from which a delta was made: the sources of a promotion or a summary.';
CREATE INDEX delta_origins_memory ON delta_origins (memory);
SELECT slowwave_isolate('delta_origins'), slowwave_guard_scope('delta_origins', 'scope', '');
GRANT SELECT, INSERT ON delta_origins TO slowwave_app;

CREATE TABLE ledger_seals (
    scope uuid NOT NULL,
    until timestamptz NOT NULL,
    tenant text NOT NULL,
    deltas bigint NOT NULL,
    seal bytea NOT NULL,
    made timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT ledger_seals_pkey PRIMARY KEY (scope, until)
);
COMMENT ON TABLE ledger_seals IS 'Seals of ledgers: each covers the deltas since the one before. Append-only by grant.';
COMMENT ON COLUMN ledger_seals.until IS 'The recorded time of the last delta that it covers.';
COMMENT ON COLUMN ledger_seals.deltas IS 'The number of deltas of the scope up to then.';
COMMENT ON COLUMN ledger_seals.seal IS
    'HMAC-SHA256 of the previous seal and the deltas since, under the key of the tenant.';
SELECT slowwave_isolate('ledger_seals'), slowwave_guard_scope('ledger_seals', 'scope', '');
GRANT SELECT, INSERT ON ledger_seals TO slowwave_app;

CREATE TABLE undos (
    scope uuid NOT NULL,
    undo uuid NOT NULL,
    tenant text NOT NULL,
    what text NOT NULL,
    reason text NOT NULL,
    by_whom text NOT NULL,
    asked timestamptz DEFAULT slowwave_now() NOT NULL,
    withdraws uuid,
    run bigint,
    applied timestamptz,
    lifted timestamptz,
    added uuid[],
    CONSTRAINT undos_pkey PRIMARY KEY (scope, undo)
);
COMMENT ON TABLE undos IS 'Orders to undo, a row for each scope. The claims they leave out are in undone.';
COMMENT ON COLUMN undos.what IS 'A run, a delta, a pack or a time, in words.';
COMMENT ON COLUMN undos.withdraws IS 'The undo that it takes back.';
COMMENT ON COLUMN undos.run IS 'The run that wrote its deltas; null until then.';
COMMENT ON COLUMN undos.applied IS 'When its deltas were recorded; null until then.';
COMMENT ON COLUMN undos.lifted IS 'When it was taken back.';
COMMENT ON COLUMN undos.added IS 'The claims that a replay, or whoever takes it back, adds; null for any other undo.';
CREATE INDEX undos_of_order ON undos (undo);
CREATE INDEX undos_unfinished ON undos (tenant) WHERE applied IS NULL;
SELECT slowwave_isolate('undos'), slowwave_guard_scope('undos', 'scope', '');
GRANT SELECT, INSERT, UPDATE (run, applied, lifted) ON undos TO slowwave_app;

CREATE TABLE undone (
    scope uuid NOT NULL,
    undo uuid NOT NULL,
    delta uuid NOT NULL,
    tenant text NOT NULL,
    place timestamptz NOT NULL,
    CONSTRAINT undone_pkey PRIMARY KEY (scope, undo, delta)
);
COMMENT ON TABLE undone IS 'The claims that an undo leaves out. Append-only by grant.';
COMMENT ON COLUMN undone.delta IS 'The first decision about the claim.';
COMMENT ON COLUMN undone.place IS 'Where the claim stands in the order of telling.';
SELECT slowwave_isolate('undone'), slowwave_guard_scope('undone', 'scope', '');
GRANT SELECT, INSERT ON undone TO slowwave_app;
