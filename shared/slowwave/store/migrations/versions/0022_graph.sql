-- The graph: facts as edges between entities, who is the same as whom, and the versions of it all. As the owner.

ALTER TABLE entities ADD COLUMN frequency BIGINT DEFAULT 0 NOT NULL;
ALTER TABLE entities ADD COLUMN same_as UUID;
ALTER TABLE entities ADD COLUMN near UUID;
ALTER TABLE entities ADD COLUMN spelled TEXT;
COMMENT ON TABLE entities IS
'Who and what facts are about and name, a row a name. A tombstoned one comes back with the next fact about it.';
COMMENT ON COLUMN entities.frequency IS 'How often what is believed speaks of it by this name.';
COMMENT ON COLUMN entities.same_as IS 'The entity that this is another name of; null where the name is its own.';
COMMENT ON COLUMN entities.near IS 'The older entity it was merged with by meaning, when it was first named.';
COMMENT ON COLUMN entities.spelled IS 'The name as names are compared that may mean the same.';
CREATE INDEX entities_same ON entities (scope, same_as) WHERE same_as IS NOT NULL;
CREATE INDEX entities_spelled ON entities (scope, spelled);
CREATE INDEX entities_near ON entities (scope, near) WHERE near IS NOT NULL;

CREATE TABLE edges (
    scope UUID NOT NULL,
    fact UUID NOT NULL,
    tenant TEXT NOT NULL,
    source UUID NOT NULL,
    relation TEXT NOT NULL,
    target UUID,
    kind TEXT,
    valid TSTZMULTIRANGE NOT NULL,
    weight BIGINT NOT NULL,
    CONSTRAINT edges_pkey PRIMARY KEY (scope, fact)
);
CREATE INDEX edges_from ON edges (scope, source, weight DESC, fact) WHERE NOT isempty(valid) AND target IS NOT NULL;
CREATE INDEX edges_to ON edges (scope, target, weight DESC, fact) WHERE NOT isempty(valid) AND target IS NOT NULL;
CREATE INDEX edges_about ON edges (scope, source, weight DESC, fact) WHERE NOT isempty(valid) AND target IS NULL;
CREATE INDEX edges_alias_of ON edges (scope, source) WHERE kind = 'alias';
CREATE INDEX edges_alias ON edges (scope, target) WHERE kind = 'alias';
COMMENT ON TABLE edges IS 'Facts as edges: from who a fact is about to the entity it names. A projection of the ledger.';
COMMENT ON COLUMN edges.target IS 'Null where the object is no entity: then it is a property of the source.';
COMMENT ON COLUMN edges.kind IS 'The sort of thing that the object is, where the registry of predicates said so.';
COMMENT ON COLUMN edges.valid IS 'When it is so in the world, as far as it is believed; empty once it is no longer.';
COMMENT ON COLUMN edges.weight IS 'One, and one for each episode that said it again.';

CREATE TABLE entity_vectors (
    scope UUID NOT NULL,
    entity UUID NOT NULL,
    space SMALLINT NOT NULL,
    tenant TEXT NOT NULL,
    embedding VECTOR NOT NULL,
    CONSTRAINT entity_vectors_pkey PRIMARY KEY (scope, entity, space)
);
COMMENT ON TABLE entity_vectors IS 'What the name of an entity means to an embedder.';

CREATE TABLE graph_versions (
    scope UUID NOT NULL,
    version BIGINT NOT NULL,
    tenant TEXT NOT NULL,
    run BIGINT,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    added BIGINT NOT NULL,
    confirmed BIGINT NOT NULL,
    ended BIGINT NOT NULL,
    CONSTRAINT graph_versions_pkey PRIMARY KEY (scope, version)
);
COMMENT ON TABLE graph_versions IS 'The versions of the graph of a scope: one a run that decided anything.';
COMMENT ON COLUMN graph_versions.at IS 'The last time recorded in it: what is believed then is the graph of that version.';

DO $$
DECLARE
    name TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY['edges', 'entity_vectors', 'graph_versions'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_tenant ON %I TO slowwave_app '
            'USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()))',
            name
        );
        PERFORM slowwave_guard_scope(name, 'scope', '');
    END LOOP;
END
$$;
GRANT SELECT, INSERT ON edges, entity_vectors, graph_versions TO slowwave_app;
GRANT UPDATE (source, relation, target, kind, valid, weight) ON edges TO slowwave_app;
GRANT UPDATE (frequency, same_as, near, spelled) ON entities TO slowwave_app;
GRANT UPDATE (added, confirmed, ended, at) ON graph_versions TO slowwave_app;
