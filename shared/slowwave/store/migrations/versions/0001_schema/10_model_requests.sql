-- Requests to models and their replies. Texts are in model_payloads, model_replies and model_rejected, which dispatch
-- cannot read.

CREATE TABLE model_windows (
    model_window bigint GENERATED ALWAYS AS IDENTITY,
    scope uuid NOT NULL,
    tenant text NOT NULL,
    pack text NOT NULL,
    edition text NOT NULL,
    lo bigint NOT NULL,
    hi bigint NOT NULL,
    chosen bigint[],
    plan integer DEFAULT 0 NOT NULL,
    stale boolean DEFAULT false NOT NULL,
    state text DEFAULT 'waiting' NOT NULL,
    planned timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT model_windows_pkey PRIMARY KEY (model_window),
    CONSTRAINT model_windows_state_check CHECK (state IN ('waiting', 'done')),
    CONSTRAINT model_windows_chosen_check CHECK (cardinality(chosen) > 0)
);
COMMENT ON TABLE model_windows IS
    'Windows planned for a model; each waits until all requests of its current plan are closed.';
COMMENT ON COLUMN model_windows.chosen IS 'The positions of retried dead letters; such a window moves no watermark.';
CREATE UNIQUE INDEX model_windows_begin ON model_windows (scope, pack, lo) WHERE chosen IS NULL;
CREATE INDEX model_windows_waiting ON model_windows (scope, pack) WHERE state = 'waiting';
SELECT slowwave_isolate('model_windows'), slowwave_guard_scope('model_windows', 'scope', '');
CREATE POLICY every_tenant ON model_windows TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE (edition, lo, hi, chosen, plan, stale, state) ON model_windows TO slowwave_app;
GRANT SELECT, UPDATE (edition, lo, hi, chosen, plan, stale, state) ON model_windows TO slowwave_dispatch;

CREATE TABLE model_chunks (
    model_window bigint NOT NULL,
    plan integer NOT NULL,
    request text NOT NULL,
    tenant text NOT NULL,
    CONSTRAINT model_chunks_pkey PRIMARY KEY (model_window, plan, request)
);
COMMENT ON TABLE model_chunks IS 'The requests for which a window waits, per plan.';
CREATE INDEX model_chunks_request ON model_chunks (request);
SELECT slowwave_isolate('model_chunks');
CREATE POLICY every_tenant ON model_chunks TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON model_chunks TO slowwave_app;
GRANT SELECT ON model_chunks TO slowwave_dispatch;

CREATE TABLE model_requests (
    request text NOT NULL,
    tenant text NOT NULL,
    scope uuid NOT NULL,
    pack text NOT NULL,
    model text NOT NULL,
    edition text NOT NULL,
    round integer DEFAULT 0 NOT NULL,
    positions bigint[] NOT NULL,
    quotes bigint[] NOT NULL,
    prompt_tokens integer NOT NULL,
    most_tokens integer NOT NULL,
    state text DEFAULT 'pending' NOT NULL,
    not_before timestamptz DEFAULT slowwave_now() NOT NULL,
    created timestamptz DEFAULT slowwave_now() NOT NULL,
    unreadable integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    vanished integer DEFAULT 0 NOT NULL,
    unwitnessed integer DEFAULT 0 NOT NULL,
    last text,
    reason text,
    CONSTRAINT model_requests_pkey PRIMARY KEY (request),
    CONSTRAINT model_requests_state_check CHECK (
        state IN ('pending', 'asked', 'answered', 'split', 'dead', 'void', 'erased')
    )
);
COMMENT ON TABLE model_requests IS
    'Requests to a model, one per content, without texts: the positions that they cover and quote.';
COMMENT ON COLUMN model_requests.last IS 'The outcome of the last call that was none of these for certain.';
COMMENT ON COLUMN model_requests.reason IS 'The reason why the request is dead.';
CREATE INDEX model_requests_pending ON model_requests (tenant, created, request) WHERE state = 'pending';
CREATE INDEX model_requests_scope ON model_requests (scope, pack);
CREATE INDEX model_requests_unwitnessed ON model_requests (created) WHERE state = 'pending' AND unwitnessed >= 3;
CREATE INDEX model_requests_alone ON model_requests (scope)
    WHERE pack IN ('_retell', '_reconsider') AND state IN ('pending', 'asked');
SELECT slowwave_isolate('model_requests'), slowwave_guard_scope('model_requests', 'scope', '');
CREATE POLICY every_tenant ON model_requests TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT, INSERT, UPDATE (state, not_before, unreadable, failed, vanished, unwitnessed, last, reason)
ON model_requests TO slowwave_app;
GRANT
    SELECT, UPDATE (state, not_before, unreadable, failed, vanished, unwitnessed, last, reason)
ON model_requests TO slowwave_dispatch;

CREATE TABLE model_payloads (
    request text NOT NULL,
    tenant text NOT NULL,
    words jsonb,
    CONSTRAINT model_payloads_pkey PRIMARY KEY (request)
);
COMMENT ON TABLE model_payloads IS 'The messages of a request to a model.';
COMMENT ON COLUMN model_payloads.words IS 'Messages, schema and notes of the extractor; null if erased.';
SELECT slowwave_isolate('model_payloads');
GRANT SELECT, INSERT, UPDATE (words) ON model_payloads TO slowwave_app;

CREATE TABLE model_replies (
    call bigint NOT NULL,
    request text NOT NULL,
    tenant text NOT NULL,
    n integer,
    raw text,
    kept timestamptz DEFAULT slowwave_now() NOT NULL,
    complaint text,
    CONSTRAINT model_replies_pkey PRIMARY KEY (call)
);
COMMENT ON TABLE model_replies IS 'Replies of models, stored before a run reads them.';
COMMENT ON COLUMN model_replies.n IS
    '0 for the reply that is used, 1 or more for unused ones, null until a run has read it.';
COMMENT ON COLUMN model_replies.raw IS 'The raw reply; null if erased.';
COMMENT ON COLUMN model_replies.complaint IS 'The reason why it is unreadable, as sent to the model.';
CREATE INDEX model_replies_request ON model_replies (request);
CREATE UNIQUE INDEX model_replies_used ON model_replies (request) WHERE n = 0;
SELECT slowwave_isolate('model_replies');
GRANT SELECT, INSERT, UPDATE (n, raw, complaint) ON model_replies TO slowwave_app;

CREATE TABLE model_rejected (
    rejected bigint GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    scope uuid NOT NULL,
    pack text NOT NULL,
    request text NOT NULL,
    run bigint NOT NULL,
    position bigint NOT NULL,
    reason text NOT NULL,
    said jsonb,
    at timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT model_rejected_pkey PRIMARY KEY (rejected)
);
COMMENT ON TABLE model_rejected IS 'Claims of models that were dropped, each with the reason.';
COMMENT ON COLUMN model_rejected.said IS 'The claim of the model; null if erased.';
CREATE INDEX model_rejected_scope ON model_rejected (scope, rejected);
SELECT slowwave_isolate('model_rejected'), slowwave_guard_scope('model_rejected', 'scope', '');
GRANT SELECT, INSERT, UPDATE (said) ON model_rejected TO slowwave_app;

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
