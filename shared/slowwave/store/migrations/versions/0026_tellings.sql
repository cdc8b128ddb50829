-- Tellings: models speak of sessions and of nodes of trees, in the place of quotes. As the owner.

CREATE TABLE tellings (
    scope UUID NOT NULL,
    about TEXT NOT NULL,
    tenant TEXT NOT NULL,
    session TEXT,
    reached BIGINT DEFAULT 0 NOT NULL,
    covered BIGINT DEFAULT 0 NOT NULL,
    upto BIGINT DEFAULT 0 NOT NULL,
    waiting TEXT,
    request TEXT,
    model TEXT,
    lines JSONB,
    rests BIGINT[] DEFAULT '{}' NOT NULL,
    space SMALLINT,
    embedding VECTOR,
    CONSTRAINT tellings_pkey PRIMARY KEY (scope, about),
    CONSTRAINT tellings_told_check CHECK ((model IS NULL) = (lines IS NULL)),
    CONSTRAINT tellings_space_check CHECK ((space IS NULL) = (embedding IS NULL))
);
COMMENT ON TABLE tellings IS
'What a model has told of a session, by its subject, or of a node of the tree, by its id; quotes stand for the rest.';
COMMENT ON COLUMN tellings.reached IS 'Up to where the session has messages that may be told of.';
COMMENT ON COLUMN tellings.covered IS 'Up to where they are told of, or will not be.';
COMMENT ON COLUMN tellings.upto IS 'Up to where the request that is waited for tells.';
COMMENT ON COLUMN tellings.waiting IS 'The request whose reply is to be told.';
COMMENT ON COLUMN tellings.request IS 'The request that was told of last, or refused.';
COMMENT ON COLUMN tellings.lines IS 'Sentences, each with the words it rests on; null where quotes are told.';
COMMENT ON COLUMN tellings.rests IS 'The positions of all these words.';
CREATE INDEX tellings_open ON tellings (scope) WHERE session IS NOT NULL AND (waiting IS NOT NULL OR reached > covered);
CREATE INDEX model_requests_of_summaries ON model_requests (scope) WHERE
pack = '_retell' AND state IN ('pending', 'asked');

ALTER TABLE tellings ENABLE ROW LEVEL SECURITY;
ALTER TABLE tellings FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON tellings TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
SELECT slowwave_guard_scope('tellings', 'scope', '');
GRANT SELECT, INSERT, DELETE ON tellings TO slowwave_app;
GRANT UPDATE (
    reached, covered, upto, waiting, request, model, lines, rests, space, embedding
) ON tellings TO slowwave_app;
