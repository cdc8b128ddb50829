-- Encryption at rest: the wrapped data keys of tenants, and terms that no longer depend on readable text.

CREATE TABLE tenant_keys (
    key integer GENERATED ALWAYS AS IDENTITY,
    tenant text NOT NULL,
    wrapped bytea NOT NULL,
    master text NOT NULL,
    made timestamptz DEFAULT slowwave_now() NOT NULL,
    used_from timestamptz NOT NULL,
    CONSTRAINT tenant_keys_pkey PRIMARY KEY (key)
);
COMMENT ON TABLE tenant_keys IS 'The data keys of tenants, each encrypted with a master key of the settings.';
COMMENT ON COLUMN tenant_keys.master IS 'The public name of the master key, a digest of it.';
COMMENT ON COLUMN tenant_keys.used_from IS 'From this time on, the newest such key encrypts new values.';
CREATE INDEX tenant_keys_tenant ON tenant_keys (tenant);
SELECT slowwave_isolate('tenant_keys');
GRANT SELECT, INSERT (tenant, wrapped, master, used_from), UPDATE (wrapped, master), DELETE ON tenant_keys
TO slowwave_app;
CREATE POLICY of_the_installation ON tenant_keys FOR SELECT TO slowwave_app USING (tenant = '_system');
CREATE POLICY presence ON tenant_keys FOR SELECT TO slowwave_owner USING (true);

CREATE FUNCTION slowwave_encrypted() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS
'SELECT EXISTS (SELECT FROM tenant_keys)';
COMMENT ON FUNCTION slowwave_encrypted() IS 'Whether any tenant has a data key; a process without keys must not work.';

-- Until now, Postgres made the terms from the text. Statements make them now, because a stored text may be encrypted.
ALTER TABLE episodes ALTER COLUMN terms DROP EXPRESSION;
ALTER TABLE episodes ALTER COLUMN terms SET DEFAULT '';
ALTER TABLE facts ALTER COLUMN terms DROP EXPRESSION;
ALTER TABLE facts ALTER COLUMN terms SET DEFAULT '';
GRANT UPDATE (terms) ON facts TO slowwave_eraser;

CREATE FUNCTION slowwave_fill_terms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_ARGV[0] = 'content' THEN
        NEW.terms := strip(to_tsvector('english', NEW.content));
    ELSE
        NEW.terms := strip(to_tsvector('english', NEW.text));
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION slowwave_fill_terms() IS 'Fills the terms of a row from a statement that made none.';

CREATE FUNCTION slowwave_is_encrypted(value text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT starts_with(value, E'\x01slowwave:') $$;
COMMENT ON FUNCTION slowwave_is_encrypted(text) IS 'Whether a stored text is encrypted.';

CREATE FUNCTION slowwave_left(value text, characters integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN slowwave_is_encrypted(value) THEN value ELSE left(value, characters) END $$;
COMMENT ON FUNCTION slowwave_left(text, integer) IS 'The first characters of a stored text; all of it if encrypted.';

CREATE FUNCTION slowwave_right(value text, characters integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN slowwave_is_encrypted(value) THEN value ELSE right(value, characters) END $$;
COMMENT ON FUNCTION slowwave_right(text, integer) IS 'The last characters of a stored text; all of it if encrypted.';

-- slowwave_eraser also encrypts rows that are stored already.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['model_payloads', 'model_replies'] LOOP
        EXECUTE format(
            'CREATE POLICY own_tenant_to_encrypt ON %I TO slowwave_eraser '
            'USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()))', name);
        EXECUTE format('GRANT SELECT ON %I TO slowwave_eraser', name);
    END LOOP;
END $$;
GRANT UPDATE (statement, reason, metadata) ON consensus TO slowwave_eraser;
GRANT UPDATE (content, metadata) ON episodes TO slowwave_eraser;
GRANT UPDATE (description, result) ON goals TO slowwave_eraser;
GRANT UPDATE (words) ON model_payloads TO slowwave_eraser;
GRANT UPDATE (raw, complaint) ON model_replies TO slowwave_eraser;
GRANT UPDATE (lines) ON model_summaries TO slowwave_eraser;
GRANT UPDATE (description, context_pattern) ON strategies TO slowwave_eraser;
GRANT UPDATE (text) ON tree_nodes TO slowwave_eraser;

-- Statements of older code make no terms.
CREATE TRIGGER terms_of_content BEFORE INSERT ON episodes FOR EACH ROW
WHEN (new.terms = '' AND new.content <> '' AND NOT slowwave_is_encrypted(new.content))
EXECUTE FUNCTION slowwave_fill_terms('content');
CREATE TRIGGER terms_of_text BEFORE INSERT ON facts FOR EACH ROW
WHEN (new.terms = '' AND new.text <> '' AND NOT slowwave_is_encrypted(new.text))
EXECUTE FUNCTION slowwave_fill_terms('text');
