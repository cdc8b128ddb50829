-- The work queue: packs and their schedules, pending and running work, finished runs, dead letters.

CREATE TABLE packs (
    pack text NOT NULL,
    tenant text NOT NULL,
    job text NOT NULL,
    version integer NOT NULL,
    digest bytea NOT NULL,
    active boolean DEFAULT true NOT NULL,
    registered timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT packs_pkey PRIMARY KEY (pack)
);
COMMENT ON TABLE packs IS 'The rule packs this installation runs, and the job that runs each.';
ALTER TABLE packs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON packs TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON packs TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON packs TO slowwave_app;
GRANT SELECT, INSERT, UPDATE (job, version, digest, active, registered) ON packs TO slowwave_dispatch;

CREATE TABLE registrations (
    tenant text NOT NULL,
    digest bytea NOT NULL,
    registered timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT registrations_pkey PRIMARY KEY (tenant),
    CONSTRAINT registrations_digest_check CHECK (octet_length(digest) = 32)
);
COMMENT ON TABLE registrations IS 'The last complete registration of packs and schedules by an installation.';
COMMENT ON COLUMN registrations.digest IS 'SHA-256 over its settings and the sizes and times of its files.';
ALTER TABLE registrations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON registrations TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON registrations TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON registrations TO slowwave_app;
GRANT SELECT, INSERT, DELETE ON registrations TO slowwave_dispatch;

CREATE TABLE schedules (
    schedule text NOT NULL,
    tenant text NOT NULL,
    job text NOT NULL,
    pack text NOT NULL,
    kind text NOT NULL,
    every integer,
    seconds double precision,
    cron text,
    zone text,
    missed text DEFAULT 'catch_up' NOT NULL,
    next_due timestamptz,
    paused boolean DEFAULT false NOT NULL,
    threshold double precision,
    min_events integer,
    reference text,
    rung text,
    CONSTRAINT schedules_pkey PRIMARY KEY (schedule),
    CONSTRAINT schedules_missed_check CHECK (missed IN ('catch_up', 'skip')),
    CONSTRAINT schedules_kind_check CHECK (
        kind IN ('count', 'age', 'cron', 'interval', 'manual', 'idle', 'semantic_shift', 'token_pressure',
        'capacity', 'session_end')
    )
);
COMMENT ON TABLE schedules IS 'The schedules of the jobs of packs.';
COMMENT ON COLUMN schedules.reference IS
    'The segment from which a semantic shift is measured: the running one, or the last consolidated one.';
COMMENT ON COLUMN schedules.rung IS 'The tier whose overflow triggers the schedule; null for any tier.';
ALTER TABLE schedules ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON schedules TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON schedules TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON schedules TO slowwave_app;
GRANT
    SELECT, INSERT, UPDATE (job, pack, kind, every, seconds, cron, zone, missed, next_due, paused, threshold,
    min_events, reference, rung), DELETE
ON schedules TO slowwave_dispatch;

CREATE TABLE firings (
    schedule text NOT NULL,
    scope uuid NOT NULL,
    at_window text NOT NULL,
    tenant text NOT NULL,
    fired timestamptz DEFAULT slowwave_now() NOT NULL,
    fired_by text NOT NULL,
    CONSTRAINT firings_pkey PRIMARY KEY (schedule, scope, at_window)
);
COMMENT ON TABLE firings IS 'Firings: a schedule came due for a scope and window, once, however many schedulers run.';
SELECT slowwave_isolate('firings'), slowwave_guard_scope('firings', 'scope', '');
CREATE POLICY every_tenant ON firings TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON firings TO slowwave_app, slowwave_dispatch;

-- The work of a standing job belongs to a slice of a tenant, which may be new: its id proves its tenant.
CREATE FUNCTION slowwave_slice_id(of_tenant text, job text, slice integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT md5(of_tenant || '/' || job || '/' || slice)::uuid
$$;
COMMENT ON FUNCTION slowwave_slice_id(text, text, integer) IS
    'The id under which a slice of a tenant is leased for a standing job, in the place of a scope.';

CREATE TABLE slices (
    slice_id uuid NOT NULL,
    tenant text NOT NULL,
    job text NOT NULL,
    slice smallint NOT NULL,
    CONSTRAINT slices_pkey PRIMARY KEY (slice_id)
);
COMMENT ON TABLE slices IS 'The slices of a tenant on which a standing job works. Their leases are in scope_leases.';
SELECT slowwave_isolate('slices');
CREATE POLICY of_own_slice ON slices AS RESTRICTIVE FOR INSERT TO slowwave_app
WITH CHECK (slice_id = slowwave_slice_id(tenant, job, slice));
CREATE POLICY every_tenant ON slices TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON slices TO slowwave_app, slowwave_dispatch;

CREATE TABLE intents (
    intent bigint GENERATED ALWAYS AS IDENTITY,
    scope uuid NOT NULL,
    tenant text NOT NULL,
    job text NOT NULL,
    pack text NOT NULL,
    state text DEFAULT 'pending' NOT NULL,
    target bigint NOT NULL,
    due timestamptz NOT NULL,
    hastened boolean DEFAULT false NOT NULL,
    lo bigint,
    hi bigint,
    fence bigint,
    vanished integer DEFAULT 0 NOT NULL,
    strikes integer DEFAULT 0 NOT NULL,
    chosen bigint[],
    upto bigint,
    idle_due timestamptz,
    faults integer DEFAULT 0 NOT NULL,
    faulted timestamptz,
    model_window bigint,
    CONSTRAINT intents_pkey PRIMARY KEY (intent),
    CONSTRAINT intents_state_check CHECK (state IN ('pending', 'running')),
    CONSTRAINT intents_window_check CHECK ((state = 'running') = (lo IS NOT NULL AND hi IS NOT NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE intents IS 'Pending and running work. Finished work leaves this table; its runs stay.';
COMMENT ON COLUMN intents.upto IS 'The last requested position; work beyond it keeps waiting.';
COMMENT ON COLUMN intents.idle_due IS 'The next time to check whether the scope is idle.';
COMMENT ON COLUMN intents.faulted IS
    'The time of the last attempt that a Slowwave fault ended; `faults` counts consecutive ones.';
COMMENT ON COLUMN intents.model_window IS 'The model window that a running intent reads or plans again.';
CREATE INDEX intents_due ON intents (due, intent);
CREATE UNIQUE INDEX intents_one_pending ON intents (scope, job, pack) WHERE state = 'pending';
CREATE UNIQUE INDEX intents_one_running ON intents (scope, job, pack) WHERE state = 'running';
CREATE INDEX intents_idle ON intents (pack, idle_due) WHERE state = 'pending' AND NOT hastened;
CREATE INDEX intents_waiting ON intents (pack, due) WHERE state = 'pending' AND (NOT hastened OR upto IS NOT NULL);
SELECT
    slowwave_isolate('intents'),
    slowwave_guard_scope('intents', 'scope',
        'OR EXISTS (SELECT FROM generate_series(0, 15) AS n WHERE scope = slowwave_slice_id(tenant, job, n))');
CREATE POLICY every_tenant ON intents TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT, INSERT, UPDATE (job, pack, state, target, due, hastened, lo, hi, fence, vanished, strikes, chosen,
    upto, idle_due, faults, faulted, model_window), DELETE
ON intents TO slowwave_app, slowwave_dispatch;

CREATE TYPE slowwave_work AS (
    scope uuid, tenant text, job text, pack text, target bigint, due timestamptz, hastened boolean, upto bigint,
    idle_due timestamptz, chosen bigint[]
);
COMMENT ON TYPE slowwave_work IS 'Work that is asked for: an intent to be.';

CREATE FUNCTION slowwave_ask(work slowwave_work[])
RETURNS TABLE (scope uuid, job text, hastened boolean, since timestamptz) LANGUAGE sql AS $$
    INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened, upto, idle_due, chosen)
    SELECT w.scope, w.tenant, w.job, w.pack, w.target, w.due, w.hastened, w.upto, w.idle_due, w.chosen
    FROM unnest(work) AS w
    ORDER BY w.scope, w.job, w.pack
    ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
    SET target = greatest(i.target, excluded.target),
        due = least(i.due, excluded.due),
        hastened = i.hastened OR excluded.hastened,
        upto = CASE
            WHEN NOT excluded.hastened THEN i.upto
            WHEN excluded.upto IS NULL OR (i.hastened AND i.upto IS NULL) THEN NULL
            ELSE greatest(i.upto, excluded.upto)
        END,
        idle_due = coalesce(i.idle_due, excluded.idle_due),
        chosen = CASE WHEN i.chosen IS NULL THEN excluded.chosen ELSE i.chosen || excluded.chosen END
    RETURNING i.scope, i.job, i.hastened, i.due
$$;
COMMENT ON FUNCTION slowwave_ask(slowwave_work[]) IS
    'Asks for work: makes the one pending intent of (scope, job, pack), or hastens it. It always locks the intent, in '
    'the order of (scope, job, pack): with DO NOTHING a claim in between would fix a window without what fired. With '
    'upto only that much is asked for at once, unless all of it was.';

CREATE TABLE runs (
    run bigint GENERATED ALWAYS AS IDENTITY,
    scope uuid NOT NULL,
    tenant text NOT NULL,
    job text NOT NULL,
    pack text NOT NULL,
    version integer NOT NULL,
    intent bigint NOT NULL,
    lo bigint NOT NULL,
    hi bigint NOT NULL,
    fence bigint NOT NULL,
    owner text NOT NULL,
    started timestamptz DEFAULT slowwave_now() NOT NULL,
    finished timestamptz,
    outcome text,
    counts jsonb DEFAULT '{}' NOT NULL,
    settings jsonb DEFAULT '{}' NOT NULL,
    error text,
    task text,
    CONSTRAINT runs_pkey PRIMARY KEY (run),
    CONSTRAINT runs_finished_check CHECK ((finished IS NULL) = (outcome IS NULL))
);
COMMENT ON TABLE runs IS 'All attempts at intents: worker, window and outcome.';
COMMENT ON COLUMN runs.task IS 'The id of the Celery task that claimed it; null for a worker without Celery.';
CREATE INDEX runs_finished ON runs (finished) WHERE outcome = 'ok';
CREATE INDEX runs_of_scope ON runs (scope, run);
CREATE UNIQUE INDEX runs_one_running ON runs (scope) WHERE finished IS NULL;
CREATE INDEX runs_of_task ON runs (task) WHERE task IS NOT NULL;
CREATE INDEX runs_failed ON runs (finished) WHERE outcome IN ('faulted', 'narrowed');
SELECT slowwave_isolate('runs'), slowwave_guard_scope('runs', 'scope', '');
CREATE POLICY every_tenant ON runs TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT, INSERT, UPDATE (job, pack, version, intent, lo, hi, fence, owner, started, finished, outcome, counts,
    settings, error, task)
ON runs TO slowwave_app, slowwave_dispatch;

-- An episode may hold several claims that a person must decide: each is a dead letter of its own, by its delta.
CREATE TABLE dead_letters (
    letter bigint GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    scope uuid,
    pack text,
    episode uuid,
    position bigint,
    category text NOT NULL,
    reason text NOT NULL,
    item jsonb,
    state text DEFAULT 'open' NOT NULL,
    born timestamptz DEFAULT slowwave_now() NOT NULL,
    seen bigint DEFAULT 1 NOT NULL,
    CONSTRAINT dead_letters_pkey PRIMARY KEY (letter),
    CONSTRAINT dead_letters_state_check CHECK (state IN ('open', 'retried', 'dropped', 'decided'))
);
COMMENT ON TABLE dead_letters IS 'Episodes, messages and deltas that could not be processed, each with the reason.';
CREATE UNIQUE INDEX dead_letters_one_open
    ON dead_letters (scope, pack, episode, category, coalesce(item ->> 'delta', ''))
    WHERE state = 'open' AND episode IS NOT NULL;
CREATE INDEX dead_letters_conflicts ON dead_letters (scope, pack) WHERE category = 'conflict';
SELECT slowwave_isolate('dead_letters'), slowwave_guard_scope('dead_letters', 'scope', 'OR pack IS NULL');
GRANT SELECT, INSERT, UPDATE (state, seen) ON dead_letters TO slowwave_app;
