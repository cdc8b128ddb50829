-- Stores packs that this installation runs.
--
-- Served by packs_pkey.
INSERT INTO packs (pack, tenant, job, version, digest)
SELECT entered.pack, %(tenant)s, entered.job, entered.version, entered.digest
FROM
    unnest(%(packs)s::text[], %(jobs)s::text[], %(versions)s::int[], %(digests)s::bytea[])
        AS entered (pack, job, version, digest)
ORDER BY entered.pack
ON CONFLICT (pack) DO UPDATE
    SET
        job = excluded.job,
        version = excluded.version,
        digest = excluded.digest,
        active = true,
        registered = slowwave_now()
