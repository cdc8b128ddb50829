-- Writes the run that a claim begins; returns its number.
--
-- Served by packs_pkey.
INSERT INTO runs (scope, tenant, job, pack, version, intent, lo, hi, fence, owner, settings, task)
SELECT
    %(scope)s, %(tenant)s, %(job)s, %(pack)s, p.version, %(intent)s, %(lo)s, %(hi)s, %(fence)s, %(owner)s,
    %(settings)s::jsonb, nullif(%(task)s, '')
FROM packs p
WHERE p.pack = %(pack)s
RETURNING run
