-- Inserts a run that undoes, which has ended; returns its number. The caller has locked the scope's lease row.
--
-- Served by scope_leases_pkey.
INSERT INTO runs (scope, tenant, job, pack, version, intent, lo, hi, fence, owner, finished, outcome, counts)
SELECT
    %(scope)s, slowwave_tenant(), %(job)s, %(pack)s, 1, 0, 0, 0, fence, %(owner)s, slowwave_now(), 'ok',
    %(counts)s::jsonb
FROM scope_leases
WHERE scope = %(scope)s
RETURNING run
