-- Makes a database a cell, run as slowwave_owner. Safe to repeat, and repeated after each migration.
--
-- A tenant with a row in cell_moves is not here: it left to another cell, or still arrives. Its rows are then invisible
-- to every role but the owner, who copies them.

CREATE TABLE IF NOT EXISTS cell_moves (
    tenant text NOT NULL,
    move uuid NOT NULL,
    state text NOT NULL,
    cell text NOT NULL,
    at timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT cell_moves_pkey PRIMARY KEY (tenant),
    CONSTRAINT cell_moves_state_check CHECK (state IN ('arriving', 'left'))
);
ALTER TABLE cell_moves ADD COLUMN IF NOT EXISTS cleared boolean DEFAULT false NOT NULL;
COMMENT ON COLUMN cell_moves.cleared IS 'Whether the rows of a tenant that left were deleted here.';
-- Its comment is the name of this cell.
ALTER TABLE cell_moves ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS every_tenant ON cell_moves;
CREATE POLICY every_tenant ON cell_moves TO slowwave_owner USING (true) WITH CHECK (true);

CREATE OR REPLACE FUNCTION slowwave_absent() RETURNS text[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS 'SELECT coalesce(array_agg(tenant), ''{}'') FROM cell_moves';
COMMENT ON FUNCTION slowwave_absent() IS 'The tenants that are not in this cell.';

CREATE OR REPLACE FUNCTION slowwave_mark(wanted text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS 'SELECT concat_ws('' '', state, move, cell) FROM cell_moves WHERE tenant = wanted';
COMMENT ON FUNCTION slowwave_mark(text) IS 'The mark of a tenant that is not in this cell: state, move and cell.';

CREATE OR REPLACE FUNCTION slowwave_has_copy(wanted text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS 'SELECT EXISTS (SELECT FROM cell_moves WHERE tenant = wanted AND NOT cleared)';
COMMENT ON FUNCTION slowwave_has_copy(text) IS 'Whether this cell may have hidden rows of a tenant that is not here.';

CREATE OR REPLACE FUNCTION slowwave_arrive(wanted text, by_move uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS 'DELETE FROM cell_moves WHERE tenant = wanted AND move = by_move AND state = ''arriving''';
COMMENT ON FUNCTION slowwave_arrive(text, uuid) IS 'Ends an arrival, after the source marked the move as left.';
REVOKE EXECUTE
ON FUNCTION slowwave_absent(), slowwave_mark(text), slowwave_has_copy(text), slowwave_arrive(text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_has_copy(text) TO slowwave_dispatch;
GRANT EXECUTE ON FUNCTION slowwave_absent(), slowwave_mark(text) TO slowwave_app, slowwave_dispatch, slowwave_eraser;
GRANT EXECUTE ON FUNCTION slowwave_arrive(text, uuid) TO slowwave_dispatch;

-- A move waits for the transactions that entered, and transactions that enter wait for the switch of a move.
CREATE OR REPLACE FUNCTION slowwave_enter(wanted text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    mark text;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(5316, hashtext(wanted));
    mark := slowwave_mark(wanted);
    IF mark IS NOT NULL THEN
        RAISE SQLSTATE 'SW001' USING MESSAGE = 'the tenant is not in this cell', DETAIL = mark;
    END IF;
END $$;
COMMENT ON FUNCTION slowwave_enter(text) IS 'Refuses a transaction of a tenant that is not in this cell.';

DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT c.relname FROM pg_class AS c
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'tenant'
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
            AND NOT EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'moves_with_its_tenant')
        ORDER BY 1
    LOOP
        CONTINUE WHEN name = 'cell_moves';
        EXECUTE format('CREATE POLICY present ON %I AS RESTRICTIVE '
            'TO slowwave_app, slowwave_dispatch, slowwave_eraser '
            'USING (tenant <> ALL ((SELECT slowwave_absent())::text[]))', name);
        EXECUTE format('CREATE POLICY moves_with_its_tenant ON %I TO slowwave_owner '
            'USING (tenant = (SELECT current_setting(''slowwave.moving'', true)))', name);
    END LOOP;
END $$;
