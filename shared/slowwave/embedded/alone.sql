-- Run by psql as a superuser, for a server that only Slowwave uses: its logins reach their own database and no other.
-- Safe to repeat. On a shared server, its owners decide about these rights.

\set ON_ERROR_STOP on
REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC;
