-- Scopes that were moved to another embedding space, or are on their way there. As the owner.

CREATE TABLE embedding_moves (
    scope UUID NOT NULL,
    tenant TEXT NOT NULL,
    space SMALLINT NOT NULL,
    toward SMALLINT,
    CONSTRAINT embedding_moves_pkey PRIMARY KEY (scope),
    CONSTRAINT embedding_moves_toward_check CHECK (toward <> space)
);
COMMENT ON TABLE embedding_moves IS
'Scopes that were moved to another embedding space, or are on their way. Others answer in that of their first memory.';
COMMENT ON COLUMN embedding_moves.space IS 'The space in which the scope answers.';
COMMENT ON COLUMN embedding_moves.toward IS 'The space in which it is to answer as soon as all of it is there.';

ALTER TABLE embedding_moves ENABLE ROW LEVEL SECURITY;
ALTER TABLE embedding_moves FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON embedding_moves TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
SELECT slowwave_guard_scope('embedding_moves', 'scope', '');
GRANT SELECT, INSERT ON embedding_moves TO slowwave_app;
GRANT UPDATE (space, toward) ON embedding_moves TO slowwave_app;

-- What nobody asks any more goes; what it means to another model is all that changes of a note.
GRANT DELETE ON episode_vectors, fact_vectors, entity_vectors, vector_blocks TO slowwave_app;
GRANT UPDATE (space, embedding) ON goals, consensus TO slowwave_app;
