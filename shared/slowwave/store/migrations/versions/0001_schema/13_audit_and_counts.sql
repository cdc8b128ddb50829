-- The audit log, live processes, hourly counts, and the removal of old rows.

CREATE TABLE audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz DEFAULT slowwave_now() NOT NULL,
    tenant text NOT NULL,
    scope uuid,
    operation text NOT NULL,
    memory_type text NOT NULL,
    run bigint,
    detail jsonb DEFAULT '{}' NOT NULL,
    settings jsonb DEFAULT '{}' NOT NULL,
    user_id text,
    session_id text,
    conversation_id text,
    source_channel text,
    target_channels text[],
    affected uuid[],
    query_text text,
    result_count integer,
    latency_ms double precision,
    success boolean DEFAULT true NOT NULL,
    error_message text,
    promoted_from_channel text,
    promotion_confidence double precision,
    promotion_access_count integer,
    promotion_conversation_count integer,
    CONSTRAINT audit_log_pkey PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
COMMENT ON TABLE audit_log IS 'The audit log, written in the transaction of each change, partitioned by day.';
CREATE INDEX audit_log_operation ON audit_log (operation, at);
CREATE INDEX audit_log_user ON audit_log (user_id, at);
CREATE INDEX audit_log_session ON audit_log (session_id, at);
CREATE INDEX audit_log_memory_type ON audit_log (memory_type, at);
CREATE INDEX audit_log_source_channel ON audit_log (source_channel, at);
SELECT slowwave_isolate('audit_log');
GRANT SELECT, INSERT ON audit_log TO slowwave_app;

CREATE TABLE processes (
    process text NOT NULL,
    tenant text NOT NULL,
    role text NOT NULL,
    started timestamptz DEFAULT slowwave_now() NOT NULL,
    seen timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT processes_pkey PRIMARY KEY (process)
);
COMMENT ON TABLE processes IS 'Schedulers and workers, with the time of their last progress.';
ALTER TABLE processes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON processes TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON processes TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON processes TO slowwave_app;
GRANT SELECT, INSERT, UPDATE (role, started, seen) ON processes TO slowwave_dispatch;

CREATE TABLE tallies (
    tenant text NOT NULL,
    name text NOT NULL,
    hour timestamptz NOT NULL,
    bucket smallint DEFAULT 0 NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT tallies_pkey PRIMARY KEY (tenant, name, hour, bucket)
) WITH (fillfactor = 50);
COMMENT ON TABLE tallies IS 'Hourly counts of events; for durations per bucket of a histogram.';
SELECT slowwave_isolate('tallies');
GRANT SELECT, INSERT, UPDATE (count) ON tallies TO slowwave_app;

-- Row-level security binds the owner, too. It sees, and may delete, only rows that are at least a week old.

DO $$
DECLARE
    aged record;
BEGIN
    FOR aged IN
        SELECT * FROM (VALUES ('firings', 'fired'), ('processes', 'seen'), ('tallies', 'hour'), ('tier_moves', 'at'))
            AS tables (name, at)
    LOOP
        EXECUTE format('CREATE POLICY seen_when_old ON %I FOR SELECT TO slowwave_owner '
            'USING (%I < (SELECT slowwave_now()) - interval ''7 days'')', aged.name, aged.at);
        EXECUTE format('CREATE POLICY dropped_when_old ON %I FOR DELETE TO slowwave_owner '
            'USING (%I < (SELECT slowwave_now()) - interval ''7 days'')', aged.name, aged.at);
    END LOOP;
END $$;

CREATE FUNCTION slowwave_drop_old_bookkeeping(bookkeeping_days integer, counts_days integer, most integer)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    dropped bigint;
    of_table bigint;
    old timestamptz := slowwave_now() - make_interval(days => bookkeeping_days);
    uncounted timestamptz := slowwave_now() - make_interval(days => counts_days);
BEGIN
    IF bookkeeping_days IS NULL OR counts_days IS NULL OR least(bookkeeping_days, counts_days) < 7 OR most IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'bookkeeping is kept for 7 days at the least';
    END IF;
    -- The last firing of a schedule says when that was; the last sign of life of a program, that it was there.
    DELETE FROM firings WHERE ctid = ANY (ARRAY(
        SELECT f.ctid FROM firings f
        JOIN (SELECT schedule, max(fired) AS last FROM firings WHERE fired < old GROUP BY schedule) AS newest
            USING (schedule)
        WHERE f.fired < newest.last
        LIMIT most));
    GET DIAGNOSTICS dropped = ROW_COUNT;
    DELETE FROM processes p USING (
        SELECT role, split_part(process, '@', 1) AS program, max(seen) AS last FROM processes
        WHERE seen < old GROUP BY 1, 2) AS newest
    WHERE p.role = newest.role AND split_part(p.process, '@', 1) = newest.program AND p.seen < newest.last;
    GET DIAGNOSTICS of_table = ROW_COUNT;
    dropped := dropped + of_table;
    DELETE FROM tallies WHERE ctid = ANY (ARRAY(SELECT t.ctid FROM tallies t WHERE t.hour < uncounted LIMIT most));
    GET DIAGNOSTICS of_table = ROW_COUNT;
    dropped := dropped + of_table;
    DELETE FROM tier_moves WHERE ctid = ANY (ARRAY(SELECT m.ctid FROM tier_moves m WHERE m.at < uncounted LIMIT most));
    GET DIAGNOSTICS of_table = ROW_COUNT;
    RETURN dropped + of_table;
END $$;
COMMENT ON FUNCTION slowwave_drop_old_bookkeeping(integer, integer, integer) IS
    'Drops at most so many firings, and signs of life, of so many days ago, tallies and steps on ladders of so many: '
    'how many rows, 0 when there are none. The last of each schedule and program stay.';
REVOKE EXECUTE ON FUNCTION slowwave_drop_old_bookkeeping(integer, integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_drop_old_bookkeeping(integer, integer, integer) TO slowwave_dispatch;
