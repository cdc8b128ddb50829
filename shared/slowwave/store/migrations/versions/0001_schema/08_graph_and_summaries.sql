-- The graph of a scope, and summaries of its sessions with the tree over them.

CREATE TABLE entities (
    scope uuid NOT NULL,
    entity uuid NOT NULL,
    tenant text NOT NULL,
    slice smallint GENERATED ALWAYS AS ((get_byte(uuid_send(scope), 0) >> 4)::smallint) STORED,
    name text NOT NULL,
    first_seen timestamptz NOT NULL,
    last_seen timestamptz NOT NULL,
    faded timestamptz,
    tombstoned timestamptz,
    due timestamptz,
    frequency bigint DEFAULT 0 NOT NULL,
    same_as uuid,
    near uuid,
    spelled text,
    CONSTRAINT entities_pkey PRIMARY KEY (scope, entity)
);
COMMENT ON TABLE entities IS
    'Entities that facts mention, one row per name. The next fact about a tombstoned entity restores it.';
COMMENT ON COLUMN entities.due IS 'The next check by the archive; null while there is a current fact about it.';
COMMENT ON COLUMN entities.frequency IS 'The number of current facts that mention it by this name.';
COMMENT ON COLUMN entities.same_as IS 'The entity of which this is an alias; null if it is no alias.';
COMMENT ON COLUMN entities.near IS
    'The older entity with a similar name, into which it was merged when first mentioned.';
COMMENT ON COLUMN entities.spelled IS 'The normalised name, by which possibly equal names are compared.';
CREATE INDEX entities_due ON entities (tenant, slice, due) WHERE due IS NOT NULL;
CREATE INDEX entities_same ON entities (scope, same_as) WHERE same_as IS NOT NULL;
CREATE INDEX entities_spelled ON entities (scope, spelled);
CREATE INDEX entities_near ON entities (scope, near) WHERE near IS NOT NULL;
SELECT slowwave_isolate('entities'), slowwave_guard_scope('entities', 'scope', '');
CREATE POLICY every_tenant ON entities TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT
    SELECT, INSERT, UPDATE (name, first_seen, last_seen, faded, tombstoned, due, frequency, same_as, near,
    spelled)
ON entities TO slowwave_app;
GRANT SELECT (scope, tenant, slice, faded, tombstoned, due) ON entities TO slowwave_dispatch;

CREATE TABLE entity_vectors (
    scope uuid NOT NULL,
    entity uuid NOT NULL,
    space smallint NOT NULL,
    tenant text NOT NULL,
    embedding vector NOT NULL,
    CONSTRAINT entity_vectors_pkey PRIMARY KEY (scope, entity, space)
);
COMMENT ON TABLE entity_vectors IS 'The vector of the name of an entity.';
SELECT slowwave_isolate('entity_vectors'), slowwave_guard_scope('entity_vectors', 'scope', '');
GRANT SELECT, INSERT, DELETE ON entity_vectors TO slowwave_app;

CREATE TABLE edges (
    scope uuid NOT NULL,
    fact uuid NOT NULL,
    tenant text NOT NULL,
    source uuid NOT NULL,
    relation text NOT NULL,
    target uuid,
    kind text,
    valid tstzmultirange NOT NULL,
    weight bigint NOT NULL,
    CONSTRAINT edges_pkey PRIMARY KEY (scope, fact)
);
COMMENT ON TABLE edges IS
    'Facts as edges, from the subject of a fact to the entity that it names. A projection of the ledger.';
COMMENT ON COLUMN edges.target IS 'The entity of the object; null if the object is a property of the source.';
COMMENT ON COLUMN edges.kind IS 'The type of the object, if the registry of predicates defines it.';
COMMENT ON COLUMN edges.valid IS 'When it is believed to be true; empty once it is no longer believed.';
COMMENT ON COLUMN edges.weight IS 'One, plus one for each episode that repeated it.';
CREATE INDEX edges_from ON edges (scope, source, weight DESC, fact) WHERE NOT isempty(valid) AND target IS NOT NULL;
CREATE INDEX edges_to ON edges (scope, target, weight DESC, fact) WHERE NOT isempty(valid) AND target IS NOT NULL;
CREATE INDEX edges_about ON edges (scope, source, weight DESC, fact) WHERE NOT isempty(valid) AND target IS NULL;
CREATE INDEX edges_alias_of ON edges (scope, source) WHERE kind = 'alias';
CREATE INDEX edges_alias ON edges (scope, target) WHERE kind = 'alias';
SELECT slowwave_isolate('edges'), slowwave_guard_scope('edges', 'scope', '');
GRANT SELECT, INSERT, UPDATE (source, relation, target, kind, valid, weight) ON edges TO slowwave_app;

CREATE TABLE graph_versions (
    scope uuid NOT NULL,
    version bigint NOT NULL,
    tenant text NOT NULL,
    run bigint,
    at timestamptz NOT NULL,
    added bigint NOT NULL,
    confirmed bigint NOT NULL,
    ended bigint NOT NULL,
    CONSTRAINT graph_versions_pkey PRIMARY KEY (scope, version)
);
COMMENT ON TABLE graph_versions IS 'The versions of the graph of a scope: one for each run that wrote a decision.';
COMMENT ON COLUMN graph_versions.at IS 'The last recorded time of the version; the facts of that time are its graph.';
SELECT slowwave_isolate('graph_versions'), slowwave_guard_scope('graph_versions', 'scope', '');
GRANT SELECT, INSERT, UPDATE (at, added, confirmed, ended) ON graph_versions TO slowwave_app;

CREATE TABLE tree_nodes (
    scope uuid NOT NULL,
    node uuid NOT NULL,
    tenant text NOT NULL,
    level smallint NOT NULL,
    parent uuid,
    space smallint NOT NULL,
    text text,
    embedding vector,
    facts uuid[],
    places smallint[],
    CONSTRAINT tree_nodes_pkey PRIMARY KEY (scope, node),
    CONSTRAINT tree_nodes_told_check CHECK (
        (level = 0) = (text IS NULL) AND (level = 0) = (embedding IS NULL) AND (level = 0) = (facts IS NULL)
        AND cardinality(facts) IS NOT DISTINCT FROM cardinality(places)
    )
);
COMMENT ON TABLE tree_nodes IS
    'The tree over the summaries of a scope: summary facts at level 0, the best lines of the children above.';
COMMENT ON COLUMN tree_nodes.space IS 'The embedding space in which the similarity of nodes was measured.';
COMMENT ON COLUMN tree_nodes.facts IS 'The summary that contains each line of the text.';
COMMENT ON COLUMN tree_nodes.places IS 'The index of the line in that summary, from 0.';
SELECT slowwave_isolate('tree_nodes'), slowwave_guard_scope('tree_nodes', 'scope', '');
GRANT SELECT, INSERT, UPDATE (parent), DELETE ON tree_nodes TO slowwave_app;

CREATE TABLE model_summaries (
    scope uuid NOT NULL,
    about text NOT NULL,
    tenant text NOT NULL,
    session text,
    reached bigint DEFAULT 0 NOT NULL,
    covered bigint DEFAULT 0 NOT NULL,
    upto bigint DEFAULT 0 NOT NULL,
    waiting text,
    request text,
    model text,
    lines jsonb,
    rests bigint[] DEFAULT '{}' NOT NULL,
    space smallint,
    embedding vector,
    CONSTRAINT model_summaries_pkey PRIMARY KEY (scope, about),
    CONSTRAINT model_summaries_told_check CHECK ((model IS NULL) = (lines IS NULL)),
    CONSTRAINT model_summaries_space_check CHECK ((space IS NULL) = (embedding IS NULL))
);
COMMENT ON TABLE model_summaries IS
    'Model summaries of sessions (by subject) and of tree nodes (by id). Quotes replace missing ones.';
COMMENT ON COLUMN model_summaries.reached IS 'The last position of the session with a message to summarise.';
COMMENT ON COLUMN model_summaries.covered IS 'The last position that is summarised or skipped.';
COMMENT ON COLUMN model_summaries.upto IS 'The last position that the pending request covers.';
COMMENT ON COLUMN model_summaries.waiting IS 'The pending request.';
COMMENT ON COLUMN model_summaries.request IS 'The last request that was applied or rejected.';
COMMENT ON COLUMN model_summaries.lines IS 'Sentences, each with its supporting words; null if quotes are used.';
COMMENT ON COLUMN model_summaries.rests IS 'The positions of all supporting words.';
CREATE INDEX model_summaries_open ON model_summaries (scope)
    WHERE session IS NOT NULL AND (waiting IS NOT NULL OR reached > covered);
SELECT slowwave_isolate('model_summaries'), slowwave_guard_scope('model_summaries', 'scope', '');
GRANT
    SELECT, INSERT, UPDATE (reached, covered, upto, waiting, request, model, lines, rests, space, embedding),
    DELETE
ON model_summaries TO slowwave_app;
