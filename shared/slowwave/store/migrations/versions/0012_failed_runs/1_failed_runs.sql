-- Old runs that failed are dropped too, of each job: they read no window and changed no fact.

CREATE INDEX runs_unsuccessful ON runs (finished) WHERE outcome NOT IN ('ok', 'dead');

-- Served by runs_without_episodes, runs_unsuccessful, runs_of_scope and deltas_of_run.
CREATE OR REPLACE FUNCTION slowwave_drop_old_runs(days integer, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    dropped bigint;
    of_failed bigint;
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
    DELETE FROM runs WHERE ctid = ANY (ARRAY(
        SELECT r.ctid FROM runs r
        WHERE r.finished < old AND r.outcome NOT IN ('ok', 'dead')
            AND NOT EXISTS (SELECT FROM deltas d WHERE d.run = r.run)
            AND EXISTS (
                SELECT FROM runs n
                WHERE n.scope = r.scope AND n.run > r.run AND n.job = r.job AND n.pack = r.pack AND n.finished < old)
        LIMIT most));
    GET DIAGNOSTICS of_failed = ROW_COUNT;
    PERFORM set_config('slowwave.dropping', 'off', true);
    RETURN dropped + of_failed;
END $$;
COMMENT ON FUNCTION slowwave_drop_old_runs(integer, integer) IS
    'Drops at most so many runs that ended so many days ago, read no window of episodes and wrote no delta, and as many '
    'that failed: how many. The last such run of each job in each scope stays.';
