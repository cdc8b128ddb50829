-- The weeks in which a possible routine was seen are dropped when they no longer count.

-- The owner sees sightings only inside the function below, and may delete only weeks.
CREATE POLICY seen_while_dropping ON sightings FOR SELECT TO slowwave_owner
USING ((SELECT current_setting('slowwave.dropping', true)) = 'on');
CREATE POLICY dropped_when_old ON sightings FOR DELETE TO slowwave_owner
USING ((SELECT current_setting('slowwave.dropping', true)) = 'on' AND bucket LIKE '%-W%');

CREATE INDEX sightings_weeks ON sightings (bucket) WHERE bucket LIKE '%-W%';

-- Served by sightings_weeks.
CREATE FUNCTION slowwave_drop_old_sightings(days integer, most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    dropped bigint;
BEGIN
    IF days IS NULL OR days < 372 OR most IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'weeks of routines are kept for 372 days at the least';
    END IF;
    PERFORM set_config('slowwave.dropping', 'on', true);
    DELETE FROM sightings WHERE ctid = ANY (ARRAY(
        SELECT s.ctid FROM sightings s
        WHERE s.bucket LIKE '%-W%'
            AND s.bucket < to_char(slowwave_now() - make_interval(days => days), 'IYYY"-W"IW')
        LIMIT most));
    GET DIAGNOSTICS dropped = ROW_COUNT;
    PERFORM set_config('slowwave.dropping', 'off', true);
    RETURN dropped;
END $$;
COMMENT ON FUNCTION slowwave_drop_old_sightings(integer, integer) IS
    'Drops at most so many weeks of routines that ended so many days ago: how many. Successes of strategies stay, at '
    'most ten for each strategy.';
REVOKE EXECUTE ON FUNCTION slowwave_drop_old_sightings(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_drop_old_sightings(integer, integer) TO slowwave_dispatch;
