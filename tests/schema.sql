SELECT string_agg(concat(of, ' ', rows, ' ', newer), ', ' ORDER BY of) FROM (
    SELECT 'class' AS of, count(*) AS rows, count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid)) AS newer
    FROM pg_class WHERE oid >= 16384 AND relpersistence <> 't'
    UNION ALL SELECT 'attribute', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid))
    FROM pg_attribute WHERE attrelid >= 16384
    UNION ALL SELECT 'default', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid)) FROM pg_attrdef
    UNION ALL SELECT 'function', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid))
    FROM pg_proc WHERE oid >= 16384 AND proname <> 'slowwave_now'
    UNION ALL SELECT concat_ws(' ', 'clock', proowner, prosecdef, proacl, prosrc), 1, 0
    FROM pg_proc WHERE proname = 'slowwave_now'
    UNION ALL SELECT 'policy', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid)) FROM pg_policy
    UNION ALL SELECT 'trigger', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid))
    FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT 'constraint', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid))
    FROM pg_constraint WHERE oid >= 16384
    UNION ALL SELECT 'namespace', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid))
    FROM pg_namespace WHERE nspname !~ '^pg_'
    UNION ALL SELECT 'extension', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid)) FROM pg_extension
    UNION ALL SELECT 'grant', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid)) FROM pg_default_acl
    UNION ALL SELECT 'vacuum', sum(vacuum_count + analyze_count), 0 FROM pg_stat_user_tables
    UNION ALL SELECT 'setting', count(*), count(*) FILTER (WHERE age(xmin) <= age(%(since)s::xid))
    FROM pg_db_role_setting
    WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
) AS catalogs
