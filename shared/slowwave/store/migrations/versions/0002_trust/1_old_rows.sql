-- Rows that no fact needs are dropped when they are old: runs that read no episodes and changed no fact, and model
-- calls with their requests, texts and replies.

-- The owner sees these tables only inside the functions below, and may delete only rows that are at least a week old.
DO $$
DECLARE
    aged record;
BEGIN
    FOR aged IN
        SELECT * FROM (VALUES
            ('deltas', NULL), ('model_summaries', NULL), ('reconsiderations', NULL),
            ('runs', 'finished < (SELECT slowwave_now()) - interval ''7 days'''),
            ('model_calls', 'finished < (SELECT slowwave_now()) - interval ''7 days'''),
            ('model_requests', 'created < (SELECT slowwave_now()) - interval ''7 days'''),
            ('model_windows', 'planned < (SELECT slowwave_now()) - interval ''7 days'''),
            ('model_batches', 'created < (SELECT slowwave_now()) - interval ''7 days'''),
            ('model_budgets', 'day < (SELECT slowwave_now()) - interval ''7 days'''),
            ('model_rejected', 'at < (SELECT slowwave_now()) - interval ''7 days'''),
            ('model_chunks', 'true'), ('model_payloads', 'true'), ('model_replies', 'true'))
            AS tables (name, old)
    LOOP
        EXECUTE format('CREATE POLICY seen_while_dropping ON %I FOR SELECT TO slowwave_owner '
            'USING ((SELECT current_setting(''slowwave.dropping'', true)) = ''on'')', aged.name);
        IF aged.old IS NOT NULL THEN
            EXECUTE format('CREATE POLICY dropped_when_old ON %I FOR DELETE TO slowwave_owner '
                'USING ((SELECT current_setting(''slowwave.dropping'', true)) = ''on'' AND %s)', aged.name, aged.old);
        END IF;
    END LOOP;
END $$;

CREATE INDEX runs_without_episodes ON runs (finished)
WHERE job NOT IN ('consolidate', 'plan', 'detect_patterns', 'summarise', 'retry', 'undo');
CREATE INDEX model_requests_created ON model_requests (created);
CREATE INDEX model_rejected_request ON model_rejected (request);

CREATE FUNCTION slowwave_drop_old_runs(days integer, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    dropped bigint;
    old timestamptz := slowwave_now() - make_interval(days => days);
BEGIN
    IF days IS NULL OR days < 7 OR most IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'runs are kept for 7 days at the least';
    END IF;
    PERFORM set_config('slowwave.dropping', 'on', true);
    -- The last run of each job in each scope says how far the job is.
    DELETE FROM runs WHERE ctid = ANY (ARRAY(
        SELECT r.ctid FROM runs r
        WHERE r.finished < old AND r.job NOT IN ('consolidate', 'plan', 'detect_patterns', 'summarise', 'retry', 'undo')
            AND NOT EXISTS (SELECT FROM deltas d WHERE d.run = r.run)
            AND EXISTS (
                SELECT FROM runs n
                WHERE n.scope = r.scope AND n.run > r.run AND n.job = r.job AND n.pack = r.pack
                    AND n.outcome IN ('ok', 'dead') AND n.finished < old)
        LIMIT most));
    GET DIAGNOSTICS dropped = ROW_COUNT;
    PERFORM set_config('slowwave.dropping', 'off', true);
    RETURN dropped;
END $$;
COMMENT ON FUNCTION slowwave_drop_old_runs(integer, integer) IS
    'Drops at most so many runs that ended so many days ago, read no window of episodes and wrote no delta: how many. '
    'The last such run of each job in each scope stays.';
REVOKE EXECUTE ON FUNCTION slowwave_drop_old_runs(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_drop_old_runs(integer, integer) TO slowwave_dispatch;

CREATE FUNCTION slowwave_drop_old_model_calls(days integer, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    dropped bigint := 0;
    of_table bigint;
    old timestamptz := slowwave_now() - make_interval(days => days);
    gone text[];
BEGIN
    IF days IS NULL OR days < 7 OR most IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'model calls are kept for 7 days at the least';
    END IF;
    PERFORM set_config('slowwave.dropping', 'on', true);
    -- A request stays while its reply may still be read: by a window that waits, a summary, or a reconsideration.
    gone := ARRAY(
        SELECT r.request FROM model_requests r
        WHERE r.created < old AND r.state NOT IN ('pending', 'asked')
            AND NOT EXISTS (SELECT FROM model_calls c WHERE c.request = r.request AND coalesce(c.finished, c.started) >= old)
            AND NOT EXISTS (
                SELECT FROM model_chunks k JOIN model_windows w USING (model_window)
                WHERE k.request = r.request AND w.state = 'waiting')
            AND NOT EXISTS (
                SELECT FROM model_summaries s WHERE s.scope = r.scope AND r.request IN (s.request, s.waiting))
            AND NOT EXISTS (SELECT FROM reconsiderations s WHERE s.scope = r.scope AND s.waiting = r.request)
        ORDER BY r.created
        LIMIT most);
    DELETE FROM model_rejected WHERE request = ANY (gone);
    DELETE FROM model_payloads WHERE request = ANY (gone);
    DELETE FROM model_replies WHERE request = ANY (gone);
    DELETE FROM model_chunks WHERE request = ANY (gone);
    DELETE FROM model_calls WHERE request = ANY (gone);
    DELETE FROM model_requests WHERE request = ANY (gone);
    GET DIAGNOSTICS dropped = ROW_COUNT;
    DELETE FROM model_windows WHERE ctid = ANY (ARRAY(
        SELECT w.ctid FROM model_windows w
        WHERE w.state = 'done' AND w.planned < old
            AND NOT EXISTS (SELECT FROM model_chunks k WHERE k.model_window = w.model_window)
            AND EXISTS (
                SELECT FROM model_windows n WHERE n.scope = w.scope AND n.pack = w.pack AND n.lo > w.lo AND n.planned < old)
        LIMIT most));
    GET DIAGNOSTICS of_table = ROW_COUNT;
    dropped := dropped + of_table;
    DELETE FROM model_batches WHERE state = 'ended' AND created < old;
    GET DIAGNOSTICS of_table = ROW_COUNT;
    dropped := dropped + of_table;
    DELETE FROM model_budgets WHERE day < old::date AND reserved_tokens = 0;
    GET DIAGNOSTICS of_table = ROW_COUNT;
    PERFORM set_config('slowwave.dropping', 'off', true);
    RETURN dropped + of_table;
END $$;
COMMENT ON FUNCTION slowwave_drop_old_model_calls(integer, integer) IS
    'Drops at most so many requests to models that were made so many days ago and are answered or given up, with their '
    'texts, replies, calls and rejected claims; and windows, batches and budgets as old: how many.';
REVOKE EXECUTE ON FUNCTION slowwave_drop_old_model_calls(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_drop_old_model_calls(integer, integer) TO slowwave_dispatch;
