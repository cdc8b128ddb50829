-- Embedding spaces, vectors, and packed blocks of words and vectors.

-- A space is identified by name and dimensions, so one that was made with wrong dimensions blocks no correct one.
CREATE TABLE embedding_spaces (
    space smallint GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    name text NOT NULL,
    dimensions integer NOT NULL,
    CONSTRAINT embedding_spaces_pkey PRIMARY KEY (space),
    CONSTRAINT embedding_spaces_name_dimensions_key UNIQUE (name, dimensions)
);
COMMENT ON TABLE embedding_spaces IS
    'Embedding spaces: model, version and dimensions. Vectors of two spaces are never compared.';
ALTER TABLE embedding_spaces ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON embedding_spaces TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY made_when_new ON embedding_spaces FOR INSERT TO slowwave_owner WITH CHECK (tenant = '_system');
CREATE POLICY known ON embedding_spaces FOR SELECT TO slowwave_owner USING (tenant = '_system');
GRANT SELECT ON embedding_spaces TO slowwave_app;

CREATE FUNCTION slowwave_make_space(name text, dimensions integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF name IS NULL OR name !~ '\S' OR length(name) > 200 OR dimensions IS NULL OR dimensions NOT BETWEEN 1 AND 16000 THEN
        RAISE invalid_parameter_value USING
            MESSAGE = 'an embedding space has a name of at most 200 characters and 1 to 16000 dimensions';
    END IF;
    IF EXISTS (SELECT FROM embedding_spaces s WHERE (s.name, s.dimensions) = ($1, $2)) THEN
        RETURN;
    END IF;
    IF (SELECT count(*) FROM embedding_spaces) >= 1000 THEN
        RAISE program_limit_exceeded USING MESSAGE = 'there are 1000 embedding spaces';
    END IF;
    INSERT INTO embedding_spaces (tenant, name, dimensions) VALUES ('_system', $1, $2) ON CONFLICT DO NOTHING;
END $$;
COMMENT ON FUNCTION slowwave_make_space(text, integer) IS
    'Makes an embedding space of the installation, when it is new.';
REVOKE EXECUTE ON FUNCTION slowwave_make_space(text, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_make_space(text, integer) TO slowwave_app;

CREATE TABLE embedding_moves (
    scope uuid NOT NULL,
    tenant text NOT NULL,
    space smallint NOT NULL,
    toward smallint,
    since timestamptz,
    CONSTRAINT embedding_moves_pkey PRIMARY KEY (scope),
    CONSTRAINT embedding_moves_toward_check CHECK (toward <> space)
);
COMMENT ON TABLE embedding_moves IS
    'Scopes that moved to another embedding space, or are moving. Others use that of their first memory.';
COMMENT ON COLUMN embedding_moves.space IS 'The space in which the scope answers.';
COMMENT ON COLUMN embedding_moves.toward IS 'The space to which the scope changes as soon as all vectors exist.';
COMMENT ON COLUMN embedding_moves.since IS
    'The start of the move; null for moves that began before this column existed.';
CREATE INDEX embedding_moves_coming ON embedding_moves (tenant, toward) WHERE toward IS NOT NULL;
SELECT slowwave_isolate('embedding_moves'), slowwave_guard_scope('embedding_moves', 'scope', '');
GRANT SELECT, INSERT, UPDATE (space, toward, since) ON embedding_moves TO slowwave_app;

CREATE TABLE episode_vectors (
    scope uuid NOT NULL,
    position bigint NOT NULL,
    space smallint NOT NULL,
    tenant text NOT NULL,
    embedding vector NOT NULL,
    CONSTRAINT episode_vectors_pkey PRIMARY KEY (scope, position, space)
);
COMMENT ON TABLE episode_vectors IS 'The vectors of episodes, computed after the episodes are stored.';
SELECT slowwave_isolate('episode_vectors'), slowwave_guard_scope('episode_vectors', 'scope', '');
GRANT SELECT, INSERT, DELETE ON episode_vectors TO slowwave_app;

CREATE TABLE fact_vectors (
    scope uuid NOT NULL,
    fact uuid NOT NULL,
    space smallint NOT NULL,
    tenant text NOT NULL,
    embedding vector NOT NULL,
    CONSTRAINT fact_vectors_pkey PRIMARY KEY (scope, fact, space)
);
COMMENT ON TABLE fact_vectors IS 'The vectors of facts.';
SELECT slowwave_isolate('fact_vectors'), slowwave_guard_scope('fact_vectors', 'scope', '');
GRANT SELECT, INSERT, DELETE ON fact_vectors TO slowwave_app;

-- Blocks: the hashed words and the packed vectors of 256 old episodes, from which a query chooses its candidates.
-- Packed bytes do not compress, so they are stored without an attempt (EXTERNAL).
CREATE TABLE word_blocks (
    scope uuid NOT NULL,
    block bigint NOT NULL,
    tenant text NOT NULL,
    edition uuid DEFAULT gen_random_uuid() NOT NULL,
    received bytea STORAGE EXTERNAL NOT NULL,
    occurred bytea STORAGE EXTERNAL NOT NULL,
    sessions bytea STORAGE EXTERNAL NOT NULL,
    roles bytea STORAGE EXTERNAL NOT NULL,
    lengths bytea STORAGE EXTERNAL NOT NULL,
    words bytea STORAGE EXTERNAL NOT NULL,
    starts bytea STORAGE EXTERNAL NOT NULL,
    docs bytea STORAGE EXTERNAL NOT NULL,
    first_user text,
    last_user text,
    CONSTRAINT word_blocks_pkey PRIMARY KEY (scope, block)
);
COMMENT ON TABLE word_blocks IS
    'Hashed words of 256 positions of a scope, with their positions. Derived from episodes, erased with them.';
COMMENT ON COLUMN word_blocks.block IS 'The block with the positions from 256 times this number, plus one.';
COMMENT ON COLUMN word_blocks.edition IS 'A new value at each packing, by which processes check their caches.';
COMMENT ON COLUMN word_blocks.received IS 'Microseconds since 1970, one int64 per position, or the smallest int64.';
COMMENT ON COLUMN word_blocks.occurred IS 'Microseconds since 1970, one int64 per position.';
COMMENT ON COLUMN word_blocks.sessions IS 'The hash of the session, one uint64 per position.';
COMMENT ON COLUMN word_blocks.roles IS 'The role of the speaker, one uint8 per position.';
COMMENT ON COLUMN word_blocks.lengths IS 'The number of different words, one uint32 per position.';
COMMENT ON COLUMN word_blocks.words IS 'The sorted hashes of the different words of the block, uint32.';
COMMENT ON COLUMN word_blocks.starts IS 'The offset of each word in docs, and the end of the last one, uint32.';
COMMENT ON COLUMN word_blocks.docs IS 'The positions in the block that contain each word, word by word, uint8.';
COMMENT ON COLUMN word_blocks.first_user IS 'The alphabetically first speaker with the role user.';
COMMENT ON COLUMN word_blocks.last_user IS 'The alphabetically last speaker with the role user.';
SELECT slowwave_isolate('word_blocks'), slowwave_guard_scope('word_blocks', 'scope', '');
GRANT
    SELECT, INSERT, UPDATE (edition, received, occurred, sessions, roles, lengths, words, starts, docs,
    first_user, last_user)
ON word_blocks TO slowwave_app;

CREATE TABLE vector_blocks (
    scope uuid NOT NULL,
    block bigint NOT NULL,
    space smallint NOT NULL,
    tenant text NOT NULL,
    edition uuid DEFAULT gen_random_uuid() NOT NULL,
    codes bytea STORAGE EXTERNAL NOT NULL,
    CONSTRAINT vector_blocks_pkey PRIMARY KEY (scope, block, space)
);
COMMENT ON TABLE vector_blocks IS
    'The vectors of 256 positions in one space: their mean, and the signs of the differences. Derived, too.';
COMMENT ON COLUMN vector_blocks.edition IS 'A new value at each packing.';
COMMENT ON COLUMN vector_blocks.codes IS
    'The mean and one scale per position, both float32, then the sign bits, plane by plane.';
SELECT slowwave_isolate('vector_blocks'), slowwave_guard_scope('vector_blocks', 'scope', '');
GRANT SELECT, INSERT, UPDATE (edition, codes), DELETE ON vector_blocks TO slowwave_app;
