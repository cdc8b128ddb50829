"""The triggers that keep a closed belief closed and refuse a delta without a source, created with their tables."""

from sqlalchemy import DDL, event

from slowwave.store.tables.ledger import deltas, facts

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

delta_cites = DDL(  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it untyped
    """
    CREATE FUNCTION slowwave_refuse_unsourced() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NOT EXISTS (SELECT FROM public.delta_sources s WHERE s.delta = NEW.id) THEN
            RAISE check_violation USING MESSAGE = 'a delta cites no source', CONSTRAINT = 'delta_cites';
        END IF;
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER delta_cites AFTER INSERT ON deltas DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION slowwave_refuse_unsourced();
    """
)
event.listen(deltas, "after_create", delta_cites)
