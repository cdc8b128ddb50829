-- Blocks: the words and the meanings of 256 old episodes, small, for questions to choose by. As the owner.

CREATE TABLE word_blocks (
    scope UUID NOT NULL,
    block BIGINT NOT NULL,
    tenant TEXT NOT NULL,
    edition UUID DEFAULT gen_random_uuid() NOT NULL,
    received BYTEA NOT NULL,
    occurred BYTEA NOT NULL,
    sessions BYTEA NOT NULL,
    roles BYTEA NOT NULL,
    lengths BYTEA NOT NULL,
    words BYTEA NOT NULL,
    starts BYTEA NOT NULL,
    docs BYTEA NOT NULL,
    first_user TEXT,
    last_user TEXT,
    CONSTRAINT word_blocks_pkey PRIMARY KEY (scope, block)
);
COMMENT ON TABLE word_blocks IS
'The words of 256 positions of a scope, hashed, and where each stands. Derived from episodes; gone where they are.';
COMMENT ON COLUMN word_blocks.block IS 'Of the positions from 256 times this, plus one.';
COMMENT ON COLUMN word_blocks.edition IS 'Another one whenever it is packed anew: by it processes know what they keep.';
COMMENT ON COLUMN word_blocks.received IS 'Microseconds since 1970 a position, int64; the least number: nothing there.';
COMMENT ON COLUMN word_blocks.occurred IS 'Microseconds since 1970 a position, int64.';
COMMENT ON COLUMN word_blocks.sessions IS 'The hash of its session a position, uint64.';
COMMENT ON COLUMN word_blocks.roles IS 'Which role spoke, a position, uint8.';
COMMENT ON COLUMN word_blocks.lengths IS 'How many different words a position has, uint32.';
COMMENT ON COLUMN word_blocks.words IS 'The hashes of the different words of the block, uint32, in order.';
COMMENT ON COLUMN word_blocks.starts IS 'Where in docs each word begins, and after the last its end, uint32.';
COMMENT ON COLUMN word_blocks.docs IS 'Which positions of the block have the word, word after word, uint8.';
COMMENT ON COLUMN word_blocks.first_user IS 'Of those who spoke in the role of the user, the first by name.';
COMMENT ON COLUMN word_blocks.last_user IS 'Of those who spoke in the role of the user, the last by name.';

CREATE TABLE vector_blocks (
    scope UUID NOT NULL,
    block BIGINT NOT NULL,
    space SMALLINT NOT NULL,
    tenant TEXT NOT NULL,
    edition UUID DEFAULT gen_random_uuid() NOT NULL,
    codes BYTEA NOT NULL,
    CONSTRAINT vector_blocks_pkey PRIMARY KEY (scope, block, space)
);
COMMENT ON TABLE vector_blocks IS
'The vectors of 256 positions in one space: their mean, and of each the signs of how it differs. Derived, too.';
COMMENT ON COLUMN vector_blocks.edition IS 'Another one whenever it is packed anew.';
COMMENT ON COLUMN vector_blocks.codes IS 'The mean, a scale a position, both float32, and the signs, plane by plane.';

-- Packed bytes do not compress: trying would cost the writer, and undoing it the reader.
DO $$
DECLARE
    packed TEXT[];
    name TEXT;
BEGIN
    FOREACH packed SLICE 1 IN ARRAY ARRAY[
        ['word_blocks', 'received'], ['word_blocks', 'occurred'], ['word_blocks', 'sessions'],
        ['word_blocks', 'roles'], ['word_blocks', 'lengths'], ['word_blocks', 'words'], ['word_blocks', 'starts'],
        ['word_blocks', 'docs'], ['vector_blocks', 'codes']]
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STORAGE EXTERNAL', packed[1], packed[2]);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['word_blocks', 'vector_blocks'] LOOP
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
GRANT SELECT, INSERT ON word_blocks, vector_blocks TO slowwave_app;
GRANT UPDATE (edition, received, occurred, sessions, roles, lengths, words, starts, docs, first_user, last_user)
ON word_blocks TO slowwave_app;
GRANT UPDATE (edition, codes) ON vector_blocks TO slowwave_app;

CREATE OR REPLACE FUNCTION slowwave_drop_forgotten_month(at timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC' SET lock_timeout = '300ms' AS $$
DECLARE
    month record;
    remembered boolean;
    packed text;
BEGIN
    SELECT * INTO STRICT month FROM slowwave_partition_of('episodes', at);
    IF month.hi > slowwave_now() THEN
        RAISE invalid_parameter_value USING MESSAGE = 'this month is not over';
    END IF;
    LOCK TABLE ONLY episodes IN ACCESS EXCLUSIVE MODE;
    IF to_regclass('public.' || month.name) IS NULL THEN
        RETURN false;
    END IF;
    -- Row-level security binds the owner too; for the one question it steps aside, behind locks nobody looks past.
    EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', month.name);
    ALTER TABLE conversations NO FORCE ROW LEVEL SECURITY;
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I e WHERE NOT EXISTS (SELECT FROM conversations c '
        'WHERE c.scope = e.scope AND c.session = e.session AND c.tombstoned >= e.received))', month.name)
    INTO remembered;
    ALTER TABLE conversations FORCE ROW LEVEL SECURITY;
    IF remembered THEN
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', month.name);
        RETURN false;
    END IF;
    -- What blocks hold of a month is derived from its words, and goes with them.
    FOREACH packed IN ARRAY ARRAY['word_blocks', 'vector_blocks'] LOOP
        EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', packed);
        EXECUTE format(
            'DELETE FROM %I b USING (SELECT DISTINCT scope, (position - 1) / 256 AS block FROM %I) AS gone '
            'WHERE b.scope = gone.scope AND b.block = gone.block', packed, month.name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', packed);
    END LOOP;
    EXECUTE format('ALTER TABLE episodes DETACH PARTITION %I', month.name);
    EXECUTE format('DROP TABLE %I', month.name);
    RETURN true;
END $$;
