-- Grants no wider than needed. Run as slowwave_owner.

DO $$
BEGIN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;

-- Of a belief only the end may be written, and only once: it is the app's one way to change a row of facts.

CREATE FUNCTION slowwave_refuse_rewriting() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'what was recorded of a belief is closed once and changed by nobody';
END $$;
COMMENT ON FUNCTION slowwave_refuse_rewriting IS 'Refuses the write it is called for.';

CREATE TRIGGER closed_once BEFORE UPDATE OF recorded ON facts FOR EACH ROW
WHEN (lower(NEW.recorded) IS DISTINCT FROM lower(OLD.recorded) OR NOT upper_inf(OLD.recorded))
EXECUTE FUNCTION slowwave_refuse_rewriting();

-- A partition is of an age in which this runs: a table for the year 290000 helps nobody but who fills the catalogue.

CREATE OR REPLACE FUNCTION slowwave_partition_of(
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
