-- Calls to models and their costs. Slots and breakers belong to the installation.

CREATE TABLE model_calls (
    call bigint GENERATED ALWAYS AS IDENTITY,
    request text NOT NULL,
    tenant text NOT NULL,
    day date NOT NULL,
    provider text NOT NULL,
    batch bigint,
    owner text NOT NULL,
    reserved_tokens bigint NOT NULL,
    reserved_micros bigint NOT NULL,
    spent_tokens bigint,
    spent_micros bigint,
    prompt_tokens integer,
    reply_tokens integer,
    latency_ms double precision,
    model text,
    looks integer DEFAULT 0 NOT NULL,
    started timestamptz DEFAULT slowwave_now() NOT NULL,
    finished timestamptz,
    outcome text,
    CONSTRAINT model_calls_pkey PRIMARY KEY (call)
);
COMMENT ON TABLE model_calls IS 'Calls to models, with their costs. *looks* counts the attempts to read the reply.';
COMMENT ON COLUMN model_calls.model IS 'As the provider reports it.';
CREATE INDEX model_calls_batch ON model_calls (batch) WHERE finished IS NULL;
CREATE INDEX model_calls_day ON model_calls (tenant, day);
CREATE INDEX model_calls_readable ON model_calls (provider, finished) WHERE outcome = 'ok';
CREATE INDEX model_calls_request ON model_calls (request);
SELECT slowwave_isolate('model_calls');
CREATE POLICY every_tenant ON model_calls TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT, UPDATE (spent_tokens, spent_micros, prompt_tokens, reply_tokens, latency_ms, model, looks, finished,
    outcome)
ON model_calls TO slowwave_app;
GRANT
    SELECT, INSERT, UPDATE (spent_tokens, spent_micros, prompt_tokens, reply_tokens, latency_ms, model, looks,
    finished, outcome)
ON model_calls TO slowwave_dispatch;

CREATE TABLE model_slots (
    provider text NOT NULL,
    slot smallint NOT NULL,
    tenant text NOT NULL,
    call bigint,
    of_tenant text,
    until timestamptz,
    CONSTRAINT model_slots_pkey PRIMARY KEY (provider, slot)
) WITH (fillfactor = 50);
COMMENT ON TABLE model_slots IS 'The running calls at a provider, each with its lease.';
SELECT slowwave_isolate('model_slots');
CREATE POLICY every_tenant ON model_slots TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON model_slots TO slowwave_app;
GRANT SELECT, INSERT, UPDATE (call, of_tenant, until) ON model_slots TO slowwave_dispatch;

CREATE TABLE model_breakers (
    provider text NOT NULL,
    tenant text NOT NULL,
    width integer NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    open_until timestamptz DEFAULT '-infinity' NOT NULL,
    since timestamptz DEFAULT '-infinity' NOT NULL,
    CONSTRAINT model_breakers_pkey PRIMARY KEY (provider)
) WITH (fillfactor = 50);
COMMENT ON TABLE model_breakers IS 'The number of usable slots of a provider, and the earliest time of the next call.';
SELECT slowwave_isolate('model_breakers');
CREATE POLICY every_tenant ON model_breakers TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON model_breakers TO slowwave_app;
GRANT SELECT, INSERT, UPDATE (width, failures, open_until, since) ON model_breakers TO slowwave_dispatch;

CREATE TABLE model_budgets (
    tenant text NOT NULL,
    day date NOT NULL,
    cap_tokens bigint,
    cap_micros bigint,
    spent_tokens bigint DEFAULT 0 NOT NULL,
    spent_micros bigint DEFAULT 0 NOT NULL,
    reserved_tokens bigint DEFAULT 0 NOT NULL,
    reserved_micros bigint DEFAULT 0 NOT NULL,
    served timestamptz DEFAULT '-infinity' NOT NULL,
    CONSTRAINT model_budgets_pkey PRIMARY KEY (tenant, day)
) WITH (fillfactor = 50);
COMMENT ON TABLE model_budgets IS
    'The daily model budget of a tenant, in tokens and millionths of the currency; null means no limit.';
SELECT slowwave_isolate('model_budgets');
CREATE POLICY every_tenant ON model_budgets TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (spent_tokens, spent_micros, reserved_tokens, reserved_micros) ON model_budgets TO slowwave_app;
GRANT
    SELECT, INSERT, UPDATE (cap_tokens, cap_micros, spent_tokens, spent_micros, reserved_tokens, reserved_micros,
    served)
ON model_budgets TO slowwave_dispatch;

CREATE TABLE model_batches (
    batch bigint GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    provider text NOT NULL,
    state text DEFAULT 'made' NOT NULL,
    requests integer NOT NULL,
    until timestamptz,
    created timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT model_batches_pkey PRIMARY KEY (batch),
    CONSTRAINT model_batches_state_check CHECK (state IN ('made', 'ended'))
);
COMMENT ON TABLE model_batches IS
    'Batches of requests that were exported in a file, and how long to wait for their replies.';
CREATE INDEX model_batches_open ON model_batches (until) WHERE state = 'made';
SELECT slowwave_isolate('model_batches');
CREATE POLICY every_tenant ON model_batches TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON model_batches TO slowwave_app;
GRANT SELECT, INSERT, UPDATE (state, until) ON model_batches TO slowwave_dispatch;
