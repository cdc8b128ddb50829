-- Revision 0001: the whole schema, one file per subject, in the order of their names. Run as slowwave_owner.
--
-- The extension vector and the roles exist already (see embedded_services/bootstrap.sql):
--   slowwave_app       one tenant per transaction
--   slowwave_dispatch  all tenants, but no content: it sees when something is due, not what it says
--   slowwave_eraser    one tenant per transaction; its policies and grants are in 15_erasure.sql
--
-- Row-level security is forced on every table, also for the owner. slowwave_isolate gives a table the policy of its
-- tenant; tables of the installation (tenant `_system`) have own_tenant_or_system instead.
-- An append-only table is one on which nobody holds UPDATE or DELETE. UPDATE is granted on columns, never on a table:
-- otherwise its holder could lock the whole table.
--
-- This file: clock, tenant, row-level security, tenants, revisions.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'slowwave_eraser') THEN
        RAISE invalid_authorization_specification USING MESSAGE =
            'the role slowwave_eraser is missing: run slowwave/embedded_services/bootstrap.sql again as a superuser';
    END IF;
END $$;

GRANT USAGE ON SCHEMA public TO slowwave_eraser;

DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;

CREATE FUNCTION slowwave_now() RETURNS timestamptz LANGUAGE sql VOLATILE
    AS 'SELECT clock_timestamp()';
COMMENT ON FUNCTION slowwave_now() IS 'The one clock: every time that is stored comes from here.';

CREATE FUNCTION slowwave_tenant() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    tenant text := current_setting('slowwave.tenant', true);
BEGIN
    IF tenant IS NULL OR tenant = '' THEN
        RAISE insufficient_privilege USING MESSAGE = 'no tenant is set for this transaction';
    END IF;
    RETURN tenant;
END $$;
COMMENT ON FUNCTION slowwave_tenant() IS 'The tenant of this transaction; an error, never nothing, when none is set.';

CREATE FUNCTION slowwave_isolate(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
        'CREATE POLICY own_tenant ON %I TO slowwave_app '
        'USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()))', name);
END $$;
COMMENT ON FUNCTION slowwave_isolate(text) IS 'Gives a new table the row-level security of all others.';
REVOKE EXECUTE ON FUNCTION slowwave_isolate(text) FROM PUBLIC;

-- A row that the app inserts belongs to a scope of its own tenant. Scope ids are derived from names, and most keys hold
-- the scope without the tenant: otherwise a tenant could insert rows of its own under the scope of another tenant, take
-- that tenant's positions and windows, and learn from the refusals what is there. The app sees only its own rows of
-- scope_heads, and Postgres checks the policy before a unique index.
--
-- Not guarded: scope_heads, scope_leases and watermarks, which are inserted in one statement (see
-- ops/decisions/row-level-security.md); audit_log and legal_holds, where the scope is a label and in no key.
CREATE FUNCTION slowwave_guard_scope(name text, of_column text, otherwise text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'CREATE POLICY of_own_%2$s ON %1$I AS RESTRICTIVE FOR INSERT TO slowwave_app WITH CHECK ('
        'EXISTS (SELECT FROM scope_heads h WHERE h.scope = %1$I.%2$I) %3$s)', name, of_column, otherwise);
END $$;
COMMENT ON FUNCTION slowwave_guard_scope(text, text, text) IS
    'Lets the app insert into a table only where a column names a scope that it sees, or otherwise.';
REVOKE EXECUTE ON FUNCTION slowwave_guard_scope(text, text, text) FROM PUBLIC;

CREATE TABLE tenants (
    tenant text NOT NULL,
    fingerprint_key bytea NOT NULL,
    born timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT tenants_pkey PRIMARY KEY (tenant),
    CONSTRAINT tenants_key_length_check CHECK (octet_length(fingerprint_key) = 32)
);
COMMENT ON TABLE tenants IS 'The tenants, each with the key that fingerprints its facts.';
SELECT slowwave_isolate('tenants');
CREATE POLICY every_tenant ON tenants TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT, INSERT ON tenants TO slowwave_app;
GRANT SELECT (tenant) ON tenants TO slowwave_dispatch;

CREATE TABLE revisions (
    version text NOT NULL,
    tenant text DEFAULT '_system' NOT NULL,
    description text NOT NULL,
    applied timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT revisions_pkey PRIMARY KEY (version)
);
COMMENT ON TABLE revisions IS 'The applied revisions of the schema, and their times.';
ALTER TABLE revisions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON revisions TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON revisions TO slowwave_dispatch USING (true);
CREATE POLICY written_down ON revisions FOR INSERT TO slowwave_owner WITH CHECK (true);
GRANT SELECT ON revisions TO slowwave_app, slowwave_dispatch;

CREATE VIEW schema_version WITH (security_invoker = true) AS
    SELECT version, description, applied AS applied_at FROM revisions;
COMMENT ON VIEW schema_version IS 'The revisions of the schema: version, description, applied_at.';
GRANT SELECT ON schema_version TO slowwave_app, slowwave_dispatch;
