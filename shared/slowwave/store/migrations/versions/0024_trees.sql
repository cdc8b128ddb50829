-- Trees over the summaries of sessions. As the owner.

CREATE TABLE tree_nodes (
    scope UUID NOT NULL,
    node UUID NOT NULL,
    tenant TEXT NOT NULL,
    level SMALLINT NOT NULL,
    parent UUID,
    space SMALLINT NOT NULL,
    text TEXT,
    embedding VECTOR,
    facts UUID [],
    places SMALLINT [],
    CONSTRAINT tree_nodes_pkey PRIMARY KEY (scope, node),
    CONSTRAINT tree_nodes_told_check CHECK (
        (level = 0) = (text IS NULL) AND (level = 0) = (embedding IS NULL) AND (level = 0) = (facts IS NULL)
        AND cardinality(facts) IS NOT DISTINCT FROM cardinality(places)
    )
);
COMMENT ON TABLE tree_nodes IS
'The tree over the summaries of a scope: at level 0 the facts that they are, above what says most of those under it.';
COMMENT ON COLUMN tree_nodes.space IS 'The embedding space in which it was told what lies together.';
COMMENT ON COLUMN tree_nodes.facts IS 'The summary in which each line of the text stands.';
COMMENT ON COLUMN tree_nodes.places IS 'Its place there, from 0.';
CREATE INDEX facts_summaries ON facts (scope, session) WHERE
predicate = 'summary' AND upper_inf(recorded) AND upper_inf(valid);

ALTER TABLE tree_nodes ENABLE ROW LEVEL SECURITY;
ALTER TABLE tree_nodes FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tree_nodes TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
SELECT slowwave_guard_scope('tree_nodes', 'scope', '');
GRANT SELECT, INSERT, DELETE ON tree_nodes TO slowwave_app;
GRANT UPDATE (parent) ON tree_nodes TO slowwave_app;
