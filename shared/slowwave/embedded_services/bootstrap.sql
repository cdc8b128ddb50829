-- The roles, the database and the extension that Slowwave needs, run by psql as a superuser. Safe to repeat.
--
--   slowwave_owner     login: owns the schema, runs migrations and makes partitions
--   slowwave_app       no login: one tenant per transaction, under row-level security
--   slowwave_dispatch  no login: all tenants, but only schedules, intents and leases
--   slowwave_eraser    no login: one tenant per transaction; it alone removes content, and writes none
--   slowwave           login of every process; it holds no right but to become one of the three without login
--
-- No passwords are set here: the embedded server is protected by a private socket; elsewhere, set them with ALTER ROLE.

\set ON_ERROR_STOP on
SET client_min_messages = warning;

DO $$
DECLARE
    wanted record;
BEGIN
    FOR wanted IN
        SELECT * FROM (VALUES
            ('slowwave_owner', 'LOGIN'),
            ('slowwave_app', 'NOLOGIN'),
            ('slowwave_dispatch', 'NOLOGIN'),
            ('slowwave_eraser', 'NOLOGIN'),
            ('slowwave', 'LOGIN NOINHERIT')
        ) AS roles (name, kind)
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted.name) THEN
            EXECUTE format('CREATE ROLE %I %s NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION',
                           wanted.name, wanted.kind);
        END IF;
    END LOOP;
END
$$;

GRANT slowwave_app, slowwave_dispatch, slowwave_eraser TO slowwave WITH INHERIT FALSE, SET TRUE;

-- Sort by code point whatever the host's locale is, so that an index survives an upgrade of the C library.
SELECT 'CREATE DATABASE slowwave OWNER slowwave_owner TEMPLATE template0 ENCODING ''UTF8'''
       ' LOCALE_PROVIDER builtin BUILTIN_LOCALE ''C.UTF-8'' LOCALE ''C'''
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'slowwave')
\gexec

\connect slowwave
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS vector;
ALTER EXTENSION vector UPDATE;

-- No Slowwave role makes large objects, which row-level security does not protect, or takes advisory locks that outlive
-- their transaction: one lock that is never released would stop the creation of every scope.
DO $$
DECLARE
    name regprocedure;
BEGIN
    FOR name IN
        SELECT oid FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace
            AND (proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'lo_import')
                OR proname ~ '^pg_(try_)?advisory_lock' OR proname ~ '^pg_try_advisory_xact_lock')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', name);
    END LOOP;
END
$$;
