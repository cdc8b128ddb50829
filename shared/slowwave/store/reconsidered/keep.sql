-- Keeps how far a model was asked about a scope's news, and the request that is waited for.
--
-- Guarded by reconsiderations_pkey.
INSERT INTO reconsiderations AS s (scope, tenant, told, since, waiting)
VALUES (%(scope)s, slowwave_tenant(), %(told)s, %(since)s, %(waiting)s)
ON CONFLICT (scope) DO UPDATE SET told = excluded.told, since = excluded.since, waiting = excluded.waiting
