CREATE TEMP TABLE seeded AS
SELECT c.oid::regclass::text AS name, NULL::text AS columns FROM pg_class AS c
WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace;
CREATE TEMP TABLE counted AS
SELECT format('%I.%I', schemaname, sequencename) AS name, coalesce(last_value, start_value) AS value,
    last_value IS NOT NULL AS called
FROM pg_sequences WHERE schemaname = 'public';
CREATE TEMP TABLE clock AS SELECT pg_get_functiondef('public.slowwave_now()'::regprocedure) AS made;
SET session_replication_role = replica;
DO $$
DECLARE
    each text;
    has_rows boolean;
BEGIN
    FOR each IN SELECT name FROM pg_temp.seeded LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', each) INTO has_rows;
        IF has_rows THEN
            UPDATE pg_temp.seeded SET columns = (
                SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
                WHERE attrelid = each::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
            ) WHERE name = each;
            EXECUTE format('CREATE TEMP TABLE "seed of %s" AS TABLE %s', each, each);
        END IF;
    END LOOP;
END $$;
