-- Partitions of episodes and audit_log: created ahead, moved out of the default partitions, dropped when expired.
--
-- The functions run as the owner; dispatch may only call them. Each takes ACCESS EXCLUSIVE on one partitioned table and
-- no weaker lock: a writer that had chosen the default partition would be refused, and a reader that had planned
-- without the new partition would miss the rows that moved there. It waits 300 ms for that lock, less than Postgres
-- takes to look for a deadlock, so it is always the one to give way; the caller tries again.
--
-- Only the owner can access a partition directly.

CREATE FUNCTION slowwave_partition_of(
    parent text, at timestamptz, OUT name text, OUT lo timestamptz, OUT hi timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
BEGIN
    IF at IS NULL OR at < '1970-01-01' OR at >= '3000-01-01' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'partitions are made for the years 1970 to 2999';
    END IF;
    CASE parent
    WHEN 'episodes' THEN
        lo := date_trunc('month', at);
        hi := lo + interval '1 month';
        name := 'episodes_' || to_char(lo, 'YYYY_MM');
    WHEN 'audit_log' THEN
        lo := date_trunc('day', at);
        hi := lo + interval '1 day';
        name := 'audit_log_' || to_char(lo, 'YYYY_MM_DD');
    END CASE;
END $$;
COMMENT ON FUNCTION slowwave_partition_of(text, timestamptz) IS
    'Where an instant belongs: a month of episodes, a day of the audit log, in UTC.';

CREATE FUNCTION slowwave_partitions() RETURNS TABLE (parent text, name text, lo timestamptz, hi timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.relname::text, c.relname::text, b.ends[1]::timestamptz, b.ends[2]::timestamptz
    FROM pg_inherits JOIN pg_class p ON p.oid = inhparent JOIN pg_class c ON c.oid = inhrelid
    CROSS JOIN regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\) TO \(''([^'']+)''\)') AS b (ends)
    WHERE p.relkind = 'p' AND p.relnamespace = 'public'::regnamespace AND b.ends IS NOT NULL
$$;
COMMENT ON FUNCTION slowwave_partitions() IS 'Every partition with its bounds, without the default ones.';

CREATE FUNCTION slowwave_missing_partitions(days_ahead integer)
RETURNS TABLE (parent text, name text, lo timestamptz, hi timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    now timestamptz := slowwave_now();
    until timestamptz := now + make_interval(days => days_ahead);
BEGIN
    IF days_ahead IS NULL OR days_ahead NOT BETWEEN 1 AND 366 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'partitions are made 1 to 366 days ahead';
    END IF;
    RETURN QUERY
    WITH wanted (parent, at, astray) AS (
        SELECT 'episodes', generate_series(date_trunc('month', now), until, interval '1 month'), 0
        UNION ALL SELECT 'audit_log', generate_series(date_trunc('day', now), until, interval '1 day'), 0
        UNION ALL SELECT 'episodes', date_trunc('month', received), count(*) FROM episodes_default GROUP BY 2
        UNION ALL SELECT 'audit_log', date_trunc('day', a.at), count(*) FROM audit_log_default a GROUP BY 2
    )
    SELECT wanted.parent, part.name, part.lo, part.hi
    FROM wanted CROSS JOIN slowwave_partition_of(wanted.parent, wanted.at) AS part
    WHERE to_regclass('public.' || part.name) IS NULL
    GROUP BY wanted.parent, part.name, part.lo, part.hi
    ORDER BY wanted.parent, sum(astray), part.lo;
END $$;
COMMENT ON FUNCTION slowwave_missing_partitions(integer) IS
    'What is to be made, for the days to come and for rows in a default partition: what most of them belong to last.';
REVOKE EXECUTE ON FUNCTION slowwave_missing_partitions(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_missing_partitions(integer) TO slowwave_dispatch;

CREATE FUNCTION slowwave_make_default(parent text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    name text := parent || '_default';
BEGIN
    EXECUTE format('CREATE TABLE public.%I PARTITION OF %I DEFAULT', name, parent);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY seen_astray ON %I FOR SELECT TO slowwave_owner USING (true)', name);
    EXECUTE format('CREATE POLICY moved_away ON %I FOR DELETE TO slowwave_owner USING (true)', name);
END $$;
COMMENT ON FUNCTION slowwave_make_default(text) IS 'Makes a default partition, out of which the owner may move rows.';
REVOKE EXECUTE ON FUNCTION slowwave_make_default(text) FROM PUBLIC;

SELECT slowwave_make_default('episodes'), slowwave_make_default('audit_log');

CREATE FUNCTION slowwave_turn_default(parent text, into_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    name text := parent || '_default';
    index_name text;
BEGIN
    EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent, name);
    EXECUTE format('DROP POLICY seen_astray ON %I', name);
    EXECUTE format('DROP POLICY moved_away ON %I', name);
    EXECUTE format('ALTER TABLE %I RENAME TO %I', name, into_name);
    FOR index_name IN SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = to_regclass('public.' || into_name)
    LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', index_name, replace(index_name, name, into_name));
    END LOOP;
END $$;
COMMENT ON FUNCTION slowwave_turn_default(text, text) IS
    'Takes the default partition away, as it is, to be a partition of its own.';
REVOKE EXECUTE ON FUNCTION slowwave_turn_default(text, text) FROM PUBLIC;

CREATE FUNCTION slowwave_move_out(parent text, key text, part record) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    columns text;
BEGIN
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO STRICT columns
    FROM pg_attribute
    WHERE attrelid = to_regclass('public.' || parent) AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
    EXECUTE format('CREATE TABLE public.%I (LIKE %I INCLUDING ALL EXCLUDING IDENTITY EXCLUDING INDEXES)',
        part.name, parent);
    EXECUTE format(
        'WITH moved AS (DELETE FROM %1$I WHERE %2$I >= $1 AND %2$I < $2 RETURNING %3$s) '
        'INSERT INTO %4$I (%3$s) SELECT %3$s FROM moved', parent || '_default', key, columns, part.name)
    USING part.lo, part.hi;
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', part.name);
END $$;
COMMENT ON FUNCTION slowwave_move_out(text, text, record) IS
    'Makes a table of what the default partition holds of a time, row by row.';
REVOKE EXECUTE ON FUNCTION slowwave_move_out(text, text, record) FROM PUBLIC;

CREATE FUNCTION slowwave_make_partition(parent text, at timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC' SET lock_timeout = '300ms' AS $$
DECLARE
    part record;
    key text := CASE parent WHEN 'episodes' THEN 'received' ELSE 'at' END;
    belong bigint;
    others bigint;
BEGIN
    SELECT * INTO STRICT part FROM slowwave_partition_of(parent, at);
    EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', parent);
    IF to_regclass('public.' || part.name) IS NOT NULL THEN
        RETURN NULL;
    END IF;
    EXECUTE format('SELECT count(*) FILTER (WHERE %1$I >= $1 AND %1$I < $2), '
        'count(*) FILTER (WHERE %1$I < $1 OR %1$I >= $2) FROM %2$I', key, parent || '_default')
    INTO STRICT belong, others USING part.lo, part.hi;
    -- A day without the job may have brought millions of rows: they stay where they are, and the table changes its role.
    IF belong > 0 AND others = 0 THEN
        PERFORM slowwave_turn_default(parent, part.name);
    ELSE
        PERFORM slowwave_move_out(parent, key, part);
    END IF;
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        parent, part.name, part.lo, part.hi);
    IF belong > 0 AND others = 0 THEN
        PERFORM slowwave_make_default(parent);
    END IF;
    RETURN belong;
END $$;
COMMENT ON FUNCTION slowwave_make_partition(text, timestamptz) IS
    'Makes the partition of an instant and moves its rows there from the default one: how many. NULL if it is there.';
REVOKE EXECUTE ON FUNCTION slowwave_make_partition(text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_make_partition(text, timestamptz) TO slowwave_dispatch;

CREATE FUNCTION slowwave_rows_in_default_partitions()
RETURNS TABLE (parent text, rows bigint, first timestamptz, last timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT 'audit_log', count(*), min(at), max(at) FROM audit_log_default
    UNION ALL SELECT 'episodes', count(*), min(received), max(received) FROM episodes_default
$$;
COMMENT ON FUNCTION slowwave_rows_in_default_partitions() IS
    'How many rows the default partitions hold, and of what time: there should be none.';
REVOKE EXECUTE ON FUNCTION slowwave_rows_in_default_partitions() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_rows_in_default_partitions() TO slowwave_dispatch;

CREATE FUNCTION slowwave_drop_old_audit_partition(retention_days integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC' SET lock_timeout = '300ms' AS $$
DECLARE
    oldest text;
BEGIN
    IF retention_days IS NULL OR retention_days < 7 THEN
        RAISE invalid_parameter_value USING MESSAGE = 'the audit log is kept for 7 days at the least';
    END IF;
    SELECT name INTO oldest FROM slowwave_partitions()
    WHERE parent = 'audit_log' AND hi <= slowwave_now() - make_interval(days => retention_days) ORDER BY hi LIMIT 1;
    IF oldest IS NULL THEN
        RETURN NULL;
    END IF;
    LOCK TABLE ONLY audit_log IN ACCESS EXCLUSIVE MODE;
    IF to_regclass('public.' || oldest) IS NOT NULL THEN
        EXECUTE format('ALTER TABLE audit_log DETACH PARTITION %I', oldest);
        EXECUTE format('DROP TABLE %I', oldest);
    END IF;
    RETURN oldest;
END $$;
COMMENT ON FUNCTION slowwave_drop_old_audit_partition(integer) IS
    'Drops the oldest day of the audit log that ended so long ago: its name, or NULL when there is none.';
REVOKE EXECUTE ON FUNCTION slowwave_drop_old_audit_partition(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_drop_old_audit_partition(integer) TO slowwave_dispatch;

CREATE FUNCTION slowwave_drop_forgotten_month(at timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC' SET lock_timeout = '300ms' AS $$
DECLARE
    month record;
    remembered boolean;
    packed text;
BEGIN
    SELECT * INTO STRICT month FROM slowwave_partition_of('episodes', at);
    IF month.hi > slowwave_now() THEN
        RAISE invalid_parameter_value USING MESSAGE = 'this month is not over';
    END IF;
    LOCK TABLE ONLY episodes IN ACCESS EXCLUSIVE MODE;
    IF to_regclass('public.' || month.name) IS NULL THEN
        RETURN false;
    END IF;
    -- Row-level security binds the owner too; for the one question it steps aside, behind locks nobody looks past.
    EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', month.name);
    ALTER TABLE conversations NO FORCE ROW LEVEL SECURITY;
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I e WHERE NOT EXISTS (SELECT FROM conversations c '
        'WHERE c.scope = e.scope AND c.session = e.session AND c.tombstoned >= e.received))', month.name)
    INTO remembered;
    ALTER TABLE conversations FORCE ROW LEVEL SECURITY;
    IF remembered THEN
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', month.name);
        RETURN false;
    END IF;
    -- What blocks hold of a month is derived from its words, and goes with them.
    FOREACH packed IN ARRAY ARRAY['word_blocks', 'vector_blocks'] LOOP
        EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', packed);
        EXECUTE format(
            'DELETE FROM %I b USING (SELECT DISTINCT scope, (position - 1) / 256 AS block FROM %I) AS gone '
            'WHERE b.scope = gone.scope AND b.block = gone.block', packed, month.name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', packed);
    END LOOP;
    EXECUTE format('ALTER TABLE episodes DETACH PARTITION %I', month.name);
    EXECUTE format('DROP TABLE %I', month.name);
    RETURN true;
END $$;
COMMENT ON FUNCTION slowwave_drop_forgotten_month(timestamptz) IS
    'Drops a month of episodes that is over if all its conversations are tombstoned. The keys of its episodes stay.';
REVOKE EXECUTE ON FUNCTION slowwave_drop_forgotten_month(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_drop_forgotten_month(timestamptz) TO slowwave_dispatch;
