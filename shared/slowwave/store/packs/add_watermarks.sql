-- Inserts the watermarks of a new pack, at the head of each scope, or at the start of each scope for a backfill.
--
-- Served by watermarks_pkey.
INSERT INTO watermarks (scope, pack, tenant, position, planned)
SELECT scope, %(pack)s, tenant, head, head
FROM scope_heads
ON CONFLICT DO NOTHING
