-- Sets the head, the fence and the last recorded time of a scope that was just created.
--
-- Served by scope_heads_pkey and scope_leases_pkey. The fence only grows.
WITH headed AS (
    UPDATE scope_heads SET head = %(head)s, touched = %(touched)s WHERE scope = %(scope)s
)
UPDATE scope_leases
SET fence = greatest(fence, %(fence)s), last_recorded = %(last_recorded)s
WHERE scope = %(scope)s
