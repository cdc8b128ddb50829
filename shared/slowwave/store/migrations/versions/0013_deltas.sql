-- No delta without a source, and the ledger in its order. Run as slowwave_owner.

CREATE FUNCTION slowwave_refuse_unsourced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.delta_sources s WHERE s.delta = NEW.id) THEN
        RAISE check_violation USING MESSAGE = 'a delta cites no source', CONSTRAINT = 'delta_cites';
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION slowwave_refuse_unsourced IS 'Refuses a delta for which delta_sources has no row when it is written.';

CREATE CONSTRAINT TRIGGER delta_cites AFTER INSERT ON deltas DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION slowwave_refuse_unsourced();

CREATE INDEX deltas_in_order ON deltas (tenant, recorded, id);
CREATE INDEX deltas_of_run ON deltas (run, recorded) WHERE run IS NOT NULL;

-- A fact in words, as slowwave.domain.fact says it.

CREATE FUNCTION slowwave_in_words(subject text, predicate text, object text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT subject || ' ' || replace(predicate, '_', ' ') || ' ' || object
$$;
COMMENT ON FUNCTION slowwave_in_words(text, text, text) IS 'A fact in words: subject, predicate, object.';
