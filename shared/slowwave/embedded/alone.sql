-- For a server that is Slowwave's alone, for psql as a superuser: its logins reach their own database and no other.
-- Safe to repeat. On a server shared with others these rights are their owners' to give.

\set ON_ERROR_STOP on
REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC;
