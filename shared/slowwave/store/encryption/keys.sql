-- The data keys of the tenant and of the installation. A key is in use from a time on, when every process has read the
-- key; also if the clock was set back before the key was made.
--
-- Served by tenant_keys_tenant.
SELECT
    key, tenant, wrapped, master, made, used_from,
    used_from <= slowwave_now() OR slowwave_now() < made AS in_use, tenant = slowwave_tenant() AS own
FROM tenant_keys
ORDER BY key
