-- Lets a new pack begin where the scopes stand, or at their beginning where it is to read what was.
--
-- Served by watermarks_pkey.
INSERT INTO watermarks (scope, pack, tenant, position, planned)
SELECT scope, %(pack)s, tenant, head, head
FROM scope_heads
ON CONFLICT DO NOTHING
