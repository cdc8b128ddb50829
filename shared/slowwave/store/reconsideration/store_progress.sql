-- Stores the time up to which a model was asked about a scope's new facts, and the pending request.
--
-- Guarded by reconsiderations_pkey.
INSERT INTO reconsiderations AS s (scope, tenant, told, since, waiting)
VALUES (%(scope)s, slowwave_tenant(), %(told)s, %(since)s, %(waiting)s)
ON CONFLICT (scope) DO UPDATE SET told = excluded.told, since = excluded.since, waiting = excluded.waiting
