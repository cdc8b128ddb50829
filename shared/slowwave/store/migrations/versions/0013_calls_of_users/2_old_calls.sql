-- Old calls for which a caller waited are dropped too.

CREATE OR REPLACE FUNCTION slowwave_drop_old_model_calls(days integer, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    dropped bigint := 0;
    of_table bigint;
    old timestamptz := slowwave_now() - make_interval(days => days);
    gone text[];
    spent bigint[];
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
    -- While a provider gives no readable reply, test calls and waiting requests are called again and again. Calls for
    -- which a caller waits have no request.
    spent := ARRAY(
        SELECT c.call FROM model_calls c
        WHERE c.finished < old AND (c.request IN ('witness', 'at once') OR EXISTS (
            SELECT FROM model_requests r WHERE r.request = c.request AND r.state IN ('pending', 'asked')))
        LIMIT most);
    DELETE FROM model_replies WHERE call = ANY (spent);
    DELETE FROM model_calls WHERE call = ANY (spent);
    GET DIAGNOSTICS of_table = ROW_COUNT;
    dropped := dropped + of_table;
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
    'texts, replies, calls and rejected claims; calls as old of requests that wait, test calls and calls for which a caller '
    'waited; and windows, batches and budgets as old: how many.';
