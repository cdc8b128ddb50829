-- Counts the steps of schema changes, and halts at the wanted one. A dollar is written twice, as `script` reads it.
CREATE SCHEMA rig;
CREATE SEQUENCE rig.steps;
CREATE TABLE rig.halt (step bigint);
CREATE TABLE rig.walked (step bigint, revision text);
CREATE FUNCTION rig.wait() RETURNS void LANGUAGE sql SECURITY DEFINER SET lock_timeout = 0
    AS 'SELECT pg_advisory_xact_lock($lock)';
CREATE FUNCTION rig.step() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS $$$$
DECLARE
    step bigint;
BEGIN
    IF session_user <> 'slowwave_owner' THEN
        RETURN;
    END IF;
    step := nextval('rig.steps');
    INSERT INTO rig.walked SELECT step, version_num FROM public.alembic_version;
    IF step = (SELECT h.step FROM rig.halt h) THEN
        PERFORM rig.wait();
    END IF;
END $$$$;
CREATE FUNCTION rig.committing() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$$$
BEGIN
    IF (SELECT step FROM rig.halt) = $commit THEN
        PERFORM rig.wait();
    END IF;
    RETURN NULL;
END $$$$;
CREATE CONSTRAINT TRIGGER committing AFTER INSERT ON revisions DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION rig.committing();
CREATE EVENT TRIGGER steps ON ddl_command_end EXECUTE FUNCTION rig.step();
