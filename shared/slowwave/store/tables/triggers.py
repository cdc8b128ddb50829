"""The trigger that keeps a closed belief closed, made with its table."""

from sqlalchemy import DDL, event

from slowwave.store.tables.spine import facts

closed_once = DDL(  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it untyped
    """
    CREATE FUNCTION slowwave_refuse_rewriting() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        RAISE insufficient_privilege
        USING MESSAGE = 'what was recorded of a belief is closed once and changed by nobody';
    END $$;
    CREATE TRIGGER closed_once BEFORE UPDATE OF recorded ON facts FOR EACH ROW
    WHEN (lower(NEW.recorded) IS DISTINCT FROM lower(OLD.recorded) OR NOT upper_inf(OLD.recorded))
    EXECUTE FUNCTION slowwave_refuse_rewriting();
    """
)
event.listen(facts, "after_create", closed_once)
