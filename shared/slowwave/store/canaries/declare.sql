-- Stores the declared canaries of packs. A version that was declared before keeps its verdict.
--
-- Guarded by canaries_pkey.
INSERT INTO canaries (pack, version, tenant, share)
SELECT pack, version, %(tenant)s, share
FROM unnest(%(packs)s::text[], %(versions)s::integer[], %(shares)s::double precision[]) AS said (pack, version, share)
ON CONFLICT (pack, version) DO UPDATE
    SET
        share = excluded.share,
        declared = TRUE
    WHERE canaries.share <> excluded.share OR NOT canaries.declared
