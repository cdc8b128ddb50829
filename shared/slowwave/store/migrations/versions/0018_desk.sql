-- The desk: what is asked of models, what waits for it, what it costs. Run as slowwave_owner.

DROP TABLE extraction_journal;

ALTER TABLE watermarks ADD COLUMN planned BIGINT DEFAULT 0 NOT NULL;
ALTER TABLE watermarks NO FORCE ROW LEVEL SECURITY;
UPDATE watermarks SET planned = position;
ALTER TABLE watermarks FORCE ROW LEVEL SECURITY;
ALTER TABLE watermarks ADD CONSTRAINT watermarks_planned_check CHECK (planned >= position);
COMMENT ON TABLE watermarks IS
    'Up to where a pack consolidated a scope, and planned; windows stay small until they pass *suspect*.';
GRANT UPDATE (planned) ON watermarks TO slowwave_app, slowwave_dispatch;

ALTER TABLE intents ADD COLUMN model_window BIGINT;
COMMENT ON COLUMN intents.model_window IS
    'The window whose replies a running intent reads, or that it plans anew.';
GRANT UPDATE (model_window) ON intents TO slowwave_app, slowwave_dispatch;

CREATE TABLE model_windows (
	model_window BIGINT GENERATED ALWAYS AS IDENTITY, 
	scope UUID NOT NULL, 
	tenant TEXT NOT NULL, 
	pack TEXT NOT NULL, 
	edition TEXT NOT NULL, 
	lo BIGINT NOT NULL, 
	hi BIGINT NOT NULL, 
	chosen BIGINT[], 
	plan INTEGER DEFAULT 0 NOT NULL, 
	stale BOOLEAN DEFAULT false NOT NULL, 
	state TEXT DEFAULT 'waiting' NOT NULL, 
	planned TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	CONSTRAINT model_windows_pkey PRIMARY KEY (model_window), 
	CONSTRAINT model_windows_state_check CHECK (state IN ('waiting', 'done')), 
	CONSTRAINT model_windows_chosen_check CHECK (cardinality(chosen) > 0)
);
CREATE UNIQUE INDEX model_windows_begin ON model_windows (scope, pack, lo) WHERE chosen IS NULL;
CREATE INDEX model_windows_waiting ON model_windows (scope, pack) WHERE state = 'waiting';
COMMENT ON TABLE model_windows IS 'Windows that were planned for a model; one waits until every request of its present plan is closed.';
COMMENT ON COLUMN model_windows.chosen IS 'The positions of retried dead letters; such a window moves no watermark.';

CREATE TABLE model_chunks (
	model_window BIGINT NOT NULL, 
	plan INTEGER NOT NULL, 
	request TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	CONSTRAINT model_chunks_pkey PRIMARY KEY (model_window, plan, request)
);
CREATE INDEX model_chunks_request ON model_chunks (request);
COMMENT ON TABLE model_chunks IS 'Which requests a window waits for, plan by plan.';

CREATE TABLE model_requests (
	request TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	scope UUID NOT NULL, 
	pack TEXT NOT NULL, 
	model TEXT NOT NULL, 
	edition TEXT NOT NULL, 
	round INTEGER DEFAULT 0 NOT NULL, 
	positions BIGINT[] NOT NULL, 
	quotes BIGINT[] NOT NULL, 
	prompt_tokens INTEGER NOT NULL, 
	most_tokens INTEGER NOT NULL, 
	state TEXT DEFAULT 'pending' NOT NULL, 
	not_before TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	created TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	unreadable INTEGER DEFAULT 0 NOT NULL, 
	failed INTEGER DEFAULT 0 NOT NULL, 
	vanished INTEGER DEFAULT 0 NOT NULL, 
	unwitnessed INTEGER DEFAULT 0 NOT NULL, 
	last TEXT, 
	reason TEXT, 
	CONSTRAINT model_requests_pkey PRIMARY KEY (request), 
	CONSTRAINT model_requests_state_check CHECK (state IN ('pending', 'asked', 'answered', 'split', 'dead', 'void', 'erased'))
);
CREATE INDEX model_requests_pending ON model_requests (tenant, created, request) WHERE state = 'pending';
CREATE INDEX model_requests_scope ON model_requests (scope, pack);
CREATE INDEX model_requests_unwitnessed ON model_requests (created) WHERE state = 'pending' AND unwitnessed >= 3;
COMMENT ON TABLE model_requests IS 'A question to a model, once for its content: the skeleton. Positions it is about, and quotes besides.';
COMMENT ON COLUMN model_requests.last IS 'How the last call ended that was none of these for certain.';
COMMENT ON COLUMN model_requests.reason IS 'Why it is dead.';

CREATE TABLE model_payloads (
	request TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	words JSONB, 
	CONSTRAINT model_payloads_pkey PRIMARY KEY (request)
);
COMMENT ON TABLE model_payloads IS 'What is said to the model.';
COMMENT ON COLUMN model_payloads.words IS 'Messages, schema and what the extractor noted; null where they were erased.';

CREATE TABLE model_replies (
	call BIGINT NOT NULL, 
	request TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	n INTEGER, 
	raw TEXT, 
	kept TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	complaint TEXT, 
	CONSTRAINT model_replies_pkey PRIMARY KEY (call)
);
CREATE INDEX model_replies_request ON model_replies (request);
CREATE UNIQUE INDEX model_replies_used ON model_replies (request) WHERE n = 0;
COMMENT ON TABLE model_replies IS 'What a model said, kept before anybody looks at it.';
COMMENT ON COLUMN model_replies.n IS '0: the one that is used; from 1 on: those that are not; null until somebody has looked.';
COMMENT ON COLUMN model_replies.raw IS 'Null where it was erased.';
COMMENT ON COLUMN model_replies.complaint IS 'Why it cannot be read, as the model is told.';

CREATE TABLE model_calls (
	call BIGINT GENERATED ALWAYS AS IDENTITY, 
	request TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	day DATE NOT NULL, 
	provider TEXT NOT NULL, 
	batch BIGINT, 
	owner TEXT NOT NULL, 
	reserved_tokens BIGINT NOT NULL, 
	reserved_micros BIGINT NOT NULL, 
	spent_tokens BIGINT, 
	spent_micros BIGINT, 
	prompt_tokens INTEGER, 
	reply_tokens INTEGER, 
	latency_ms DOUBLE PRECISION, 
	model TEXT, 
	looks INTEGER DEFAULT 0 NOT NULL, 
	started TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	finished TIMESTAMP WITH TIME ZONE, 
	outcome TEXT, 
	CONSTRAINT model_calls_pkey PRIMARY KEY (call)
);
CREATE INDEX model_calls_batch ON model_calls (batch) WHERE finished IS NULL;
CREATE INDEX model_calls_day ON model_calls (tenant, day);
CREATE INDEX model_calls_readable ON model_calls (provider, finished) WHERE outcome = 'ok';
CREATE INDEX model_calls_request ON model_calls (request);
COMMENT ON TABLE model_calls IS 'One attempt to ask: the ledger of money. *looks* counts who looked at its reply.';
COMMENT ON COLUMN model_calls.model IS 'As the provider reports it.';

CREATE TABLE model_slots (
	provider TEXT NOT NULL, 
	slot SMALLINT NOT NULL, 
	tenant TEXT NOT NULL, 
	call BIGINT, 
	of_tenant TEXT, 
	until TIMESTAMP WITH TIME ZONE, 
	CONSTRAINT model_slots_pkey PRIMARY KEY (provider, slot)
)
 WITH (fillfactor = 50);
COMMENT ON TABLE model_slots IS 'The calls under way at a provider, each with its lease.';

CREATE TABLE model_breakers (
	provider TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	width INTEGER NOT NULL, 
	failures INTEGER DEFAULT 0 NOT NULL, 
	open_until TIMESTAMP WITH TIME ZONE DEFAULT '-infinity' NOT NULL, 
	since TIMESTAMP WITH TIME ZONE DEFAULT '-infinity' NOT NULL, 
	CONSTRAINT model_breakers_pkey PRIMARY KEY (provider)
)
 WITH (fillfactor = 50);
COMMENT ON TABLE model_breakers IS 'How many slots of a provider may be used, and not before when.';

CREATE TABLE model_budgets (
	tenant TEXT NOT NULL, 
	day DATE NOT NULL, 
	cap_tokens BIGINT, 
	cap_micros BIGINT, 
	spent_tokens BIGINT DEFAULT 0 NOT NULL, 
	spent_micros BIGINT DEFAULT 0 NOT NULL, 
	reserved_tokens BIGINT DEFAULT 0 NOT NULL, 
	reserved_micros BIGINT DEFAULT 0 NOT NULL, 
	served TIMESTAMP WITH TIME ZONE DEFAULT '-infinity' NOT NULL, 
	CONSTRAINT model_budgets_pkey PRIMARY KEY (tenant, day)
)
 WITH (fillfactor = 50);
COMMENT ON TABLE model_budgets IS 'What a tenant may spend on models on a day, in tokens and millionths of money; null means no limit.';

CREATE TABLE model_batches (
	batch BIGINT GENERATED ALWAYS AS IDENTITY, 
	tenant TEXT NOT NULL, 
	provider TEXT NOT NULL, 
	state TEXT DEFAULT 'made' NOT NULL, 
	requests INTEGER NOT NULL, 
	until TIMESTAMP WITH TIME ZONE, 
	created TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	CONSTRAINT model_batches_pkey PRIMARY KEY (batch), 
	CONSTRAINT model_batches_state_check CHECK (state IN ('made', 'ended'))
);
CREATE INDEX model_batches_open ON model_batches (until) WHERE state = 'made';
COMMENT ON TABLE model_batches IS 'Requests that were handed out together, in a file, and until when their replies are waited for.';

CREATE TABLE model_rejected (
	rejected BIGINT GENERATED ALWAYS AS IDENTITY, 
	tenant TEXT NOT NULL, 
	scope UUID NOT NULL, 
	pack TEXT NOT NULL, 
	request TEXT NOT NULL, 
	run BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	reason TEXT NOT NULL, 
	said JSONB, 
	at TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL, 
	CONSTRAINT model_rejected_pkey PRIMARY KEY (rejected)
);
CREATE INDEX model_rejected_scope ON model_rejected (scope, rejected);
COMMENT ON TABLE model_rejected IS 'Claims of models that were dropped, each with the reason.';
COMMENT ON COLUMN model_rejected.said IS 'The claim as the model made it; null where it was erased.';

CREATE FUNCTION slowwave_complete(of_window bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT NOT w.stale AND NOT EXISTS (
        SELECT FROM model_chunks c JOIN model_requests r USING (request)
        WHERE c.model_window = w.model_window AND c.plan = w.plan AND r.state IN ('pending', 'asked', 'split')
    )
    FROM model_windows w
    WHERE w.model_window = of_window
$$;
COMMENT ON FUNCTION slowwave_complete(bigint) IS
    'Whether nothing is awaited any more for a window: derived from its requests, counted nowhere. Served by '
    'model_chunks_pkey and model_requests_pkey.';

-- Skeletons are for dispatch and the app, words for the app alone; slots and breakers are the installation's.

GRANT SELECT ON
    model_windows, model_chunks, model_requests, model_payloads, model_replies, model_calls, model_slots,
    model_breakers, model_budgets, model_batches, model_rejected
TO slowwave_app;
GRANT INSERT ON model_windows, model_chunks, model_requests, model_payloads, model_replies, model_rejected
TO slowwave_app;
GRANT UPDATE (words) ON model_payloads TO slowwave_app;
GRANT UPDATE (n, raw, complaint) ON model_replies TO slowwave_app;
GRANT UPDATE (said) ON model_rejected TO slowwave_app;

GRANT SELECT ON
    model_windows, model_chunks, model_requests, model_calls, model_slots, model_breakers, model_budgets, model_batches
TO slowwave_dispatch;
GRANT INSERT ON model_calls, model_slots, model_breakers, model_budgets, model_batches TO slowwave_dispatch;
GRANT UPDATE (call, of_tenant, until) ON model_slots TO slowwave_dispatch;
GRANT UPDATE (width, failures, open_until, since) ON model_breakers TO slowwave_dispatch;
GRANT UPDATE (cap_tokens, cap_micros, served) ON model_budgets TO slowwave_dispatch;
GRANT UPDATE (state, until) ON model_batches TO slowwave_dispatch;

GRANT UPDATE (edition, lo, hi, chosen, plan, stale, state) ON model_windows TO slowwave_app, slowwave_dispatch;
GRANT UPDATE (state, not_before, unreadable, failed, vanished, unwitnessed, last, reason) ON model_requests
TO slowwave_app, slowwave_dispatch;
GRANT UPDATE (
    spent_tokens, spent_micros, prompt_tokens, reply_tokens, latency_ms, model, looks, finished, outcome
) ON model_calls TO slowwave_app, slowwave_dispatch;
GRANT UPDATE (spent_tokens, spent_micros, reserved_tokens, reserved_micros) ON model_budgets
TO slowwave_app, slowwave_dispatch;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'model_windows', 'model_chunks', 'model_requests', 'model_payloads', 'model_replies', 'model_calls',
        'model_slots', 'model_breakers', 'model_budgets', 'model_batches', 'model_rejected']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_tenant ON %I TO slowwave_app '
            'USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()))', name);
        IF name NOT IN ('model_payloads', 'model_replies', 'model_rejected') THEN
            EXECUTE format('CREATE POLICY every_tenant ON %I TO slowwave_dispatch USING (true) WITH CHECK (true)', name);
        END IF;
    END LOOP;
END $$;

SELECT slowwave_guard_scope(name, 'scope', '')
FROM unnest(ARRAY['model_windows', 'model_requests', 'model_rejected']) AS name;
