-- Stores a packed block of vectors, and replaces the block that was stored before.
--
-- Served by vector_blocks_pkey.
INSERT INTO vector_blocks (scope, block, space, tenant, codes)
SELECT
    %(scope)s::uuid, %(block)s::bigint, %(space)s::smallint, slowwave_tenant(), %(codes)b::bytea
ON CONFLICT (scope, block, space) DO UPDATE
    SET edition = excluded.edition, codes = excluded.codes
