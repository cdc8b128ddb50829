-- Rows of the installation are not the app's to write, and a right to change rows is a right on columns: UPDATE on a whole
-- table would let its holder lock that table against everybody. Run as slowwave_owner.

-- A space is what its name and dimensions say, so that one made with other dimensions stands in nobody's way.

ALTER TABLE embedding_spaces
    DROP CONSTRAINT embedding_spaces_name_key,
    ADD CONSTRAINT embedding_spaces_name_dimensions_key UNIQUE (name, dimensions);

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
CREATE POLICY made_when_new ON embedding_spaces FOR INSERT TO slowwave_owner WITH CHECK (tenant = '_system');
CREATE POLICY known ON embedding_spaces FOR SELECT TO slowwave_owner USING (tenant = '_system');

REVOKE INSERT ON embedding_spaces FROM slowwave_app;
REVOKE INSERT, UPDATE ON processes FROM slowwave_app;

-- Each UPDATE on a whole table becomes one on the columns that are not whose and which a row is.

DO $$
DECLARE
    held record;
BEGIN
    FOR held IN
        SELECT c.oid::regclass AS name, a.grantee::regrole AS holder, string_agg(quote_ident(f.attname), ', ') AS columns
        FROM pg_class c
        CROSS JOIN aclexplode(c.relacl) AS a
        JOIN pg_attribute f ON f.attrelid = c.oid AND f.attnum > 0 AND NOT f.attisdropped
            AND f.attname NOT IN ('tenant', 'scope') AND f.attidentity = '' AND f.attgenerated = ''
            AND NOT EXISTS (
                SELECT FROM pg_constraint k
                WHERE k.conrelid = c.oid AND k.contype = 'p' AND f.attnum = ANY(k.conkey))
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.privilege_type = 'UPDATE'
            AND a.grantee IN ('slowwave_app'::regrole, 'slowwave_dispatch'::regrole)
        GROUP BY c.oid, a.grantee
    LOOP
        EXECUTE format('REVOKE UPDATE ON %s FROM %s', held.name, held.holder);
        EXECUTE format('GRANT UPDATE (%s) ON %s TO %s', held.columns, held.name, held.holder);
    END LOOP;
END $$;
