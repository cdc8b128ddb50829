-- Stores a pack that this installation runs.
--
-- Served by packs_pkey.
INSERT INTO packs (pack, tenant, job, version, digest)
VALUES (%(pack)s, %(tenant)s, %(job)s, %(version)s, %(digest)s)
ON CONFLICT (pack) DO UPDATE
    SET
        job = excluded.job,
        version = excluded.version,
        digest = excluded.digest,
        active = true,
        registered = slowwave_now()
