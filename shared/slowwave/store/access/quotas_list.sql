-- The quotas of a tenant, with the stored level and the seconds since it was stored.
--
-- Served by quotas_pkey.
SELECT what, applies, user_id, most, level, extract(EPOCH FROM slowwave_now() - seen)::float8 AS seconds
FROM quotas
WHERE tenant = slowwave_tenant() AND most IS NOT NULL
ORDER BY applies <> 'tenant', applies = 'user', user_id
