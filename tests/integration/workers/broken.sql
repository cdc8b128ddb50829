-- Storing the content 'one' fails with this code.
CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.content = 'one' THEN RAISE 'broken' USING ERRCODE = '%s'; END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER broken BEFORE INSERT ON episodes FOR EACH ROW EXECUTE FUNCTION broken()
