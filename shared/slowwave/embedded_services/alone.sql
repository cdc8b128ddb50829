-- Run by psql as a superuser, for a server that only Slowwave uses: its logins reach their own database and no other.
-- Safe to repeat. On a shared server, its owners decide about these rights.

\set ON_ERROR_STOP on
REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC;

-- The second step of an erasure ends the write-ahead log that still holds the words.
GRANT pg_checkpoint TO slowwave_owner;
GRANT EXECUTE ON FUNCTION pg_switch_wal(), pg_ls_waldir() TO slowwave_owner;
