-- The insert number {number} into {table} takes {seconds} seconds.
CREATE SEQUENCE rig.{table}_writes;
CREATE FUNCTION rig.outlast_{table}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF nextval('rig.{table}_writes') = {number} THEN
        PERFORM pg_sleep({seconds});
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER outlast BEFORE INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION rig.outlast_{table}();
