-- Adds a data key of the tenant. A tenant without data uses the key at once.
--
-- Served by tenants_pkey.
INSERT INTO tenant_keys (tenant, wrapped, master, used_from)
SELECT
    slowwave_tenant(), %(wrapped)s, %(master)s,
    slowwave_now() + CASE WHEN EXISTS (SELECT FROM tenants) THEN make_interval(secs => %(seconds)s) ELSE '0' END
