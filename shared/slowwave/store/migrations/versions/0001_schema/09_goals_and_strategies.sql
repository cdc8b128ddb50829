-- Goals, consensus of agents, strategies and tool statistics.

CREATE TABLE goals (
    scope uuid NOT NULL,
    goal uuid NOT NULL,
    tenant text NOT NULL,
    parent uuid,
    description text NOT NULL,
    status text DEFAULT 'active' NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    created timestamptz DEFAULT slowwave_now() NOT NULL,
    completed timestamptz,
    deadline timestamptz,
    result text,
    space smallint,
    embedding vector,
    blocked_by uuid,
    CONSTRAINT goals_pkey PRIMARY KEY (scope, goal),
    CONSTRAINT goals_status_check CHECK (status IN ('active', 'completed', 'abandoned', 'blocked')),
    CONSTRAINT goals_completed_check CHECK ((completed IS NOT NULL) = (status IN ('completed', 'abandoned'))),
    CONSTRAINT goals_embedding_check CHECK ((space IS NULL) = (embedding IS NULL))
);
COMMENT ON TABLE goals IS 'Goals of agents for a user, and their outcomes.';
COMMENT ON COLUMN goals.blocked_by IS 'The goal of the same scope that blocks it; null if no goal does.';
CREATE INDEX goals_of_status ON goals (scope, status);
SELECT slowwave_isolate('goals'), slowwave_guard_scope('goals', 'scope', '');
GRANT SELECT, INSERT, UPDATE (status, completed, result, space, embedding, blocked_by) ON goals TO slowwave_app;

CREATE TABLE consensus (
    scope uuid NOT NULL,
    record uuid NOT NULL,
    tenant text NOT NULL,
    stance text NOT NULL,
    topic text NOT NULL,
    topic_hash text NOT NULL,
    statement text NOT NULL,
    agents text[] NOT NULL,
    confidence double precision NOT NULL,
    reason text DEFAULT '' NOT NULL,
    metadata jsonb DEFAULT '{}' NOT NULL,
    decided timestamptz DEFAULT slowwave_now() NOT NULL,
    space smallint,
    embedding vector,
    CONSTRAINT consensus_pkey PRIMARY KEY (scope, record),
    CONSTRAINT consensus_stance_check CHECK (stance IN ('consensus', 'dissent')),
    CONSTRAINT consensus_confidence_check CHECK (confidence >= 0 AND confidence <= 1),
    CONSTRAINT consensus_embedding_check CHECK ((space IS NULL) = (embedding IS NULL))
);
COMMENT ON TABLE consensus IS 'Consensus of agents, and their dissent. Append-only by grant.';
CREATE INDEX consensus_topic ON consensus (scope, topic_hash);
SELECT slowwave_isolate('consensus'), slowwave_guard_scope('consensus', 'scope', '');
GRANT SELECT, INSERT, UPDATE (space, embedding) ON consensus TO slowwave_app;

CREATE TABLE strategies (
    scope uuid NOT NULL,
    strategy uuid NOT NULL,
    tenant text NOT NULL,
    task text NOT NULL,
    description text NOT NULL,
    context_pattern text NOT NULL,
    tools text[] NOT NULL,
    successes integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    created timestamptz DEFAULT slowwave_now() NOT NULL,
    last_used timestamptz,
    fact uuid,
    space smallint,
    embedding vector,
    CONSTRAINT strategies_pkey PRIMARY KEY (scope, strategy)
);
COMMENT ON TABLE strategies IS
    'Strategies for tasks, each with its successes and failures. Counts are derived from episodes.';
SELECT slowwave_isolate('strategies'), slowwave_guard_scope('strategies', 'scope', '');
GRANT
    SELECT, INSERT, UPDATE (task, description, context_pattern, tools, successes, failures, created, last_used,
    fact, space, embedding), DELETE
ON strategies TO slowwave_app;

CREATE TABLE tool_stats (
    scope uuid NOT NULL,
    tool text NOT NULL,
    task text NOT NULL,
    tenant text NOT NULL,
    calls bigint DEFAULT 0 NOT NULL,
    successes bigint DEFAULT 0 NOT NULL,
    latency_ms double precision DEFAULT 0 NOT NULL,
    last_used timestamptz,
    CONSTRAINT tool_stats_pkey PRIMARY KEY (scope, tool, task)
);
COMMENT ON TABLE tool_stats IS 'Calls, successes and total duration per tool.';
SELECT slowwave_isolate('tool_stats'), slowwave_guard_scope('tool_stats', 'scope', '');
GRANT SELECT, INSERT, UPDATE (calls, successes, latency_ms, last_used) ON tool_stats TO slowwave_app;

CREATE TABLE sightings (
    scope uuid NOT NULL,
    pattern uuid NOT NULL,
    bucket text NOT NULL,
    tenant text NOT NULL,
    sources jsonb NOT NULL,
    CONSTRAINT sightings_pkey PRIMARY KEY (scope, pattern, bucket)
);
COMMENT ON TABLE sightings IS
    'Evidence for patterns that are no facts yet: a success of a strategy, a week of a routine.';
SELECT slowwave_isolate('sightings'), slowwave_guard_scope('sightings', 'scope', '');
GRANT SELECT, INSERT, UPDATE (sources), DELETE ON sightings TO slowwave_app;
