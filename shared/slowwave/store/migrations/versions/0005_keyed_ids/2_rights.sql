-- Only the role that works for a tenant asks whether there are data keys.

REVOKE ALL ON FUNCTION slowwave_encrypted() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION slowwave_encrypted() TO slowwave_app;
