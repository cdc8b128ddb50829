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
