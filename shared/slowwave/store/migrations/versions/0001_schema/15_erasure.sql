-- Erasure: requests to forget for good, and the role that removes content.

CREATE TABLE erasures (
    erasure uuid NOT NULL,
    tenant text NOT NULL,
    kind text NOT NULL,
    fingerprint bytea NOT NULL,
    learn_again boolean DEFAULT false NOT NULL,
    asked timestamptz DEFAULT slowwave_now() NOT NULL,
    letters bigint[] DEFAULT '{}' NOT NULL,
    audits bigint[] DEFAULT '{}' NOT NULL,
    counts jsonb DEFAULT '{}' NOT NULL,
    tables text[] DEFAULT '{}' NOT NULL,
    calls bigint[] DEFAULT '{}' NOT NULL,
    erased timestamptz,
    rewritten timestamptz,
    beside timestamptz,
    CONSTRAINT erasures_pkey PRIMARY KEY (erasure),
    CONSTRAINT erasures_kind_check CHECK (kind IN ('user', 'session', 'fact', 'matching', 'scope'))
);
COMMENT ON TABLE erasures IS 'Requests to forget for good, without a word of what is forgotten.';
COMMENT ON COLUMN erasures.fingerprint IS 'A keyed digest of what was asked for: the same request finishes it.';
COMMENT ON COLUMN erasures.letters IS 'Dead letters without a scope that name what is forgotten.';
COMMENT ON COLUMN erasures.audits IS 'Audit rows without a scope, or that match.';
COMMENT ON COLUMN erasures.counts IS 'How many rows were erased, by table.';
COMMENT ON COLUMN erasures.tables IS 'The tables and partitions that are to be rewritten.';
COMMENT ON COLUMN erasures.calls IS 'The calls by which a provider was sent some of the words.';
COMMENT ON COLUMN erasures.erased IS 'When the last content was gone from every row.';
COMMENT ON COLUMN erasures.rewritten IS 'When the tables, statistics and log were rewritten; null until then.';
COMMENT ON COLUMN erasures.beside IS 'When Redis and the outbox were last searched for it; null until then.';
CREATE INDEX erasures_unfinished ON erasures (tenant) WHERE erased IS NULL;
SELECT slowwave_isolate('erasures');
GRANT SELECT, INSERT ON erasures TO slowwave_app;

CREATE TABLE erasure_targets (
    erasure uuid NOT NULL,
    scope uuid NOT NULL,
    tenant text NOT NULL,
    everything boolean NOT NULL,
    positions bigint[] DEFAULT '{}' NOT NULL,
    memories uuid[] DEFAULT '{}' NOT NULL,
    ordinal integer NOT NULL,
    done timestamptz,
    CONSTRAINT erasure_targets_pkey PRIMARY KEY (erasure, scope)
);
COMMENT ON TABLE erasure_targets IS
    'What an erasure removes from each scope: everything, or some positions and what rests on them.';
COMMENT ON COLUMN erasure_targets.memories IS 'Goals, consensus, strategies and facts that match by themselves.';
SELECT slowwave_isolate('erasure_targets'), slowwave_guard_scope('erasure_targets', 'scope', '');
GRANT SELECT, INSERT ON erasure_targets TO slowwave_app;

-- The eraser sees one tenant, as the app does, and the dead letters of the installation. It removes content and writes
-- none: a column that it may update is one that it may empty.

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'audit_log', 'belief_words', 'consensus', 'conversations', 'dead_letters', 'delta_payloads', 'delta_sources',
        'deltas', 'edges', 'entities', 'entity_vectors', 'episode_keys', 'episode_vectors', 'episodes',
        'erasure_targets', 'erasures', 'fact_vectors', 'facts', 'firings', 'goals', 'legal_holds', 'model_calls',
        'model_rejected', 'model_requests', 'model_summaries', 'promotions', 'running_segments', 'runs',
        'scope_heads', 'segments', 'sightings', 'standing', 'strategies', 'tool_stats', 'tree_nodes', 'undos',
        'unread_turns', 'vector_blocks', 'webhooks', 'word_blocks']
    LOOP
        EXECUTE format(
            'CREATE POLICY own_tenant_to_erase ON %I TO slowwave_eraser '
            'USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()))', name);
        IF name <> 'webhooks' THEN
            EXECUTE format('GRANT SELECT ON %I TO slowwave_eraser', name);
        END IF;
    END LOOP;
END $$;
CREATE POLICY of_the_installation ON dead_letters TO slowwave_eraser
USING (tenant = '_system') WITH CHECK (tenant = '_system');

GRANT DELETE ON
    belief_words, consensus, conversations, delta_payloads, edges, entities, entity_vectors, episode_vectors,
    episodes, fact_vectors, firings, goals, model_summaries, running_segments, segments, sightings, standing,
    strategies, tool_stats, tree_nodes, unread_turns, vector_blocks, word_blocks
TO slowwave_eraser;
GRANT UPDATE (
    user_id, session_id, conversation_id, source_channel, target_channels, promoted_from_channel, detail, query_text,
    error_message
) ON audit_log TO slowwave_eraser;
GRANT UPDATE (item, reason, state) ON dead_letters TO slowwave_eraser;
GRANT UPDATE (payload) ON delta_payloads TO slowwave_eraser;
GRANT UPDATE (key) ON delta_sources TO slowwave_eraser;
GRANT UPDATE (digest, erased) ON episode_keys TO slowwave_eraser;
GRANT UPDATE (subject, predicate, object, session, text) ON facts TO slowwave_eraser;
GRANT UPDATE (reason) ON legal_holds TO slowwave_eraser;
GRANT UPDATE (said, reason) ON model_rejected TO slowwave_eraser;
GRANT UPDATE (reason, last) ON model_requests TO slowwave_eraser;
GRANT UPDATE (policy, undone, due) ON promotions TO slowwave_eraser;
GRANT UPDATE (error) ON runs TO slowwave_eraser;
GRANT UPDATE (user_id, channel, erased) ON scope_heads TO slowwave_eraser;
GRANT UPDATE (what, reason, by_whom) ON undos TO slowwave_eraser;
GRANT UPDATE (episodes, first_at, last_at) ON conversations TO slowwave_eraser;
GRANT SELECT (webhook, tenant, user_id, removed, tableoid), UPDATE (user_id, channel, trouble, secret, removed)
ON webhooks TO slowwave_eraser;
GRANT UPDATE (counts, tables, calls, erased, rewritten, beside) ON erasures TO slowwave_eraser;
GRANT UPDATE (done) ON erasure_targets TO slowwave_eraser;
