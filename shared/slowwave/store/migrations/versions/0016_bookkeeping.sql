-- Bookkeeping that nobody reads again goes with its time, and a letter counts how often its item came. As the owner.

ALTER TABLE dead_letters ADD COLUMN seen BIGINT DEFAULT 1 NOT NULL;
GRANT UPDATE (seen) ON dead_letters TO slowwave_app;

-- Row-level security binds the owner too: it sees, and may take away, what is a week old or older.

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
