-- Gives the schema of the old revision 0044 the names that it has in revision 0001. Run as slowwave_owner.

ALTER TABLE holds RENAME TO legal_holds;
ALTER TABLE places RENAME TO slices;
ALTER TABLE slices RENAME COLUMN place TO slice_id;
ALTER TABLE tellings RENAME TO model_summaries;
ALTER TABLE topics RENAME TO running_segments;

-- Constraints, indexes and sequences begin with the name of their table.

DO $$
DECLARE
    renamed record;
BEGIN
    FOR renamed IN
        SELECT c.oid, c.relname AS new, t.old FROM pg_class c
        JOIN (VALUES ('legal_holds', 'holds'), ('slices', 'places'), ('model_summaries', 'tellings'),
            ('running_segments', 'topics')) AS t (new, old) ON t.new = c.relname
        WHERE c.relnamespace = 'public'::regnamespace
    LOOP
        EXECUTE coalesce((
            SELECT string_agg(format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', renamed.new, conname,
                replace(replace(conname, renamed.old || '_', renamed.new || '_'), '_place_', '_slice_id_')), ';')
            FROM pg_constraint WHERE conrelid = renamed.oid AND conname LIKE renamed.old || '\_%'
        ), '');
        EXECUTE coalesce((
            SELECT string_agg(format('ALTER INDEX %I RENAME TO %I', c.relname,
                replace(c.relname, renamed.old || '_', renamed.new || '_')), ';')
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE i.indrelid = renamed.oid AND c.relname LIKE renamed.old || '\_%'
        ), '');
        EXECUTE coalesce((
            SELECT string_agg(format('ALTER SEQUENCE %I RENAME TO %I', c.relname,
                replace(c.relname, renamed.old || '_', renamed.new || '_')), ';')
            FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND c.relkind = 'S'
            WHERE d.refobjid = renamed.oid AND c.relname LIKE renamed.old || '\_%'
        ), '');
    END LOOP;
END $$;

ALTER FUNCTION slowwave_astray() RENAME TO slowwave_rows_in_default_partitions;

DROP FUNCTION slowwave_holds(text, uuid);
CREATE FUNCTION slowwave_legal_holds(of_tenant text, of_scope uuid) RETURNS TABLE (tenant text)
LANGUAGE sql STABLE AS $$
    SELECT h.tenant FROM legal_holds h
    WHERE h.tenant = of_tenant AND h.released IS NULL AND (h.scope IS NULL OR h.scope = of_scope)
$$;
COMMENT ON FUNCTION slowwave_legal_holds(text, uuid) IS
    'The legal holds in force on a scope, its tenant''s included. Served by legal_holds_in_force; planned as if '
    'written out.';

-- Erasures whose second step is to come list the tables that it rewrites.

ALTER TABLE erasures NO FORCE ROW LEVEL SECURITY;
UPDATE erasures SET tables = (
    SELECT array_agg(coalesce(t.new, listed.name) ORDER BY listed.place)
    FROM unnest(tables) WITH ORDINALITY AS listed (name, place)
    LEFT JOIN (VALUES ('legal_holds', 'holds'), ('model_summaries', 'tellings'), ('running_segments', 'topics'))
        AS t (new, old) ON t.old = listed.name
)
WHERE tables && ARRAY['holds', 'tellings', 'topics'];
ALTER TABLE erasures FORCE ROW LEVEL SECURITY;

-- The table of revisions keeps when the old ones were applied.

ALTER TABLE revisions NO FORCE ROW LEVEL SECURITY;
UPDATE revisions SET version = 'old-' || version;
ALTER TABLE revisions FORCE ROW LEVEL SECURITY;
UPDATE alembic_version SET version_num = '0001';
