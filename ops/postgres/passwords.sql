-- Gives the two logins of bootstrap.sql their passwords, from the variables of the container. For psql.
\set ON_ERROR_STOP on
\getenv slowwave SLOWWAVE_PASSWORD
\getenv slowwave_owner SLOWWAVE_OWNER_PASSWORD
SET log_statement = 'none';
ALTER ROLE slowwave PASSWORD :'slowwave';
ALTER ROLE slowwave_owner PASSWORD :'slowwave_owner';
