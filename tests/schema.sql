SELECT count(*), sum(hashtextextended(line, 0)) FROM (
    SELECT concat_ws(' ', oid, relname, relkind, relowner, relacl, reloptions, relrowsecurity, relforcerowsecurity)
    FROM pg_class WHERE oid >= 16384 AND relpersistence <> 't'
    UNION ALL
    SELECT concat_ws(' ', attrelid, attname, atttypid, atttypmod, attnotnull, attisdropped, attacl, attstattarget)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE attrelid >= 16384 AND relpersistence <> 't'
    UNION ALL SELECT concat_ws(' ', adrelid, adnum, adbin::text) FROM pg_attrdef
    UNION ALL SELECT concat_ws(' ', oid, proname, proowner, prosecdef, proacl, prosrc) FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT concat_ws(' ', oid, polname, polrelid, polqual::text, polwithcheck::text) FROM pg_policy
    UNION ALL SELECT concat_ws(' ', oid, tgname, tgrelid, tgenabled) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT concat_ws(' ', oid, conname, conrelid, convalidated) FROM pg_constraint WHERE oid >= 16384
    UNION ALL SELECT concat_ws(' ', oid, nspname, nspowner, nspacl) FROM pg_namespace WHERE nspname !~ '^pg_'
    UNION ALL SELECT concat_ws(' ', oid, extname, extversion) FROM pg_extension
    UNION ALL SELECT concat_ws(' ', oid, defaclacl) FROM pg_default_acl
    UNION ALL SELECT sum(vacuum_count + analyze_count)::text FROM pg_stat_user_tables
    UNION ALL
    SELECT concat_ws(' ', setrole, setconfig) FROM pg_db_role_setting
    WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
) AS schema (line)
