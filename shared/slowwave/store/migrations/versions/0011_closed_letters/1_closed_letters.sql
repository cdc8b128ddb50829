-- Dead letters that were retried or dropped are deleted when they are old, and so are quota rows without a limit.

-- The owner sees these tables only inside the function below, and may delete only such rows.
CREATE POLICY seen_while_dropping ON dead_letters FOR SELECT TO slowwave_owner
USING ((SELECT current_setting('slowwave.dropping', true)) = 'on');
CREATE POLICY seen_while_dropping ON quotas FOR SELECT TO slowwave_owner
USING ((SELECT current_setting('slowwave.dropping', true)) = 'on');
CREATE POLICY dropped_when_old ON dead_letters FOR DELETE TO slowwave_owner
USING (
    (SELECT current_setting('slowwave.dropping', true)) = 'on'
    AND state IN ('retried', 'dropped') AND born < (SELECT slowwave_now()) - interval '7 days'
);
CREATE POLICY dropped_when_old ON quotas FOR DELETE TO slowwave_owner
USING (
    (SELECT current_setting('slowwave.dropping', true)) = 'on'
    AND most IS NULL AND seen < (SELECT slowwave_now()) - interval '7 days'
);

CREATE INDEX dead_letters_closed ON dead_letters (born)
WHERE state IN ('retried', 'dropped') AND category <> 'conflict';

-- Served by dead_letters_closed; one scan of quotas. Reviews stay, because an undo reads them.
-- A dropped letter of a pack stays, because a replay leaves out the same episodes; it holds no words of its own. A
-- bucket of a user that nobody has used for a week is full, which is the same as no row.
CREATE FUNCTION slowwave_drop_old_dead_letters(days integer, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    dropped bigint;
    of_table bigint;
BEGIN
    IF days IS NULL OR days < 7 OR most IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'closed dead letters are kept for 7 days at the least';
    END IF;
    PERFORM set_config('slowwave.dropping', 'on', true);
    DELETE FROM dead_letters WHERE ctid = ANY (ARRAY(
        SELECT l.ctid FROM dead_letters l
        WHERE l.state IN ('retried', 'dropped') AND l.category <> 'conflict'
            AND (l.state = 'retried' OR l.pack IS NULL)
            AND l.born < slowwave_now() - make_interval(days => days)
        LIMIT most));
    GET DIAGNOSTICS dropped = ROW_COUNT;
    DELETE FROM quotas q WHERE q.ctid = ANY (ARRAY(
        SELECT u.ctid FROM quotas u WHERE u.most IS NULL AND u.seen < slowwave_now() - interval '7 days' LIMIT $2));
    GET DIAGNOSTICS of_table = ROW_COUNT;
    PERFORM set_config('slowwave.dropping', 'off', true);
    RETURN dropped + of_table;
END $$;
COMMENT ON FUNCTION slowwave_drop_old_dead_letters(integer, integer) IS
    'Drops at most so many dead letters of so many days ago that were retried or dropped, and as many quota rows '
    'without a limit that nobody used for a week: how many rows.';
REVOKE EXECUTE ON FUNCTION slowwave_drop_old_dead_letters(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_drop_old_dead_letters(integer, integer) TO slowwave_dispatch;
