-- Gives the two logins of bootstrap.sql their passwords, from the secrets of the container. For psql.
\set ON_ERROR_STOP on
\set slowwave `cat /run/secrets/slowwave_password`
\set slowwave_owner `cat /run/secrets/slowwave_owner_password`
SET log_statement = 'none';
ALTER ROLE slowwave PASSWORD :'slowwave';
ALTER ROLE slowwave_owner PASSWORD :'slowwave_owner';
