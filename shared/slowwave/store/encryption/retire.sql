-- Deletes the data keys of the tenant that are older than the current one, if it has been in use for some time.
--
-- Served by tenant_keys_tenant.
DELETE FROM tenant_keys
WHERE
    tenant = slowwave_tenant()
    AND key < (
        SELECT max(key) FROM tenant_keys
        WHERE tenant = slowwave_tenant() AND used_from < slowwave_now() - make_interval(secs => %(seconds)s)
    )
RETURNING key
