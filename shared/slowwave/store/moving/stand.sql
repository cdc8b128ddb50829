-- Sets where a scope stands that was just made: its head, its fence and the last instant it recorded.
--
-- Served by scope_heads_pkey and scope_leases_pkey. The fence only grows.
WITH headed AS (
    UPDATE scope_heads SET head = %(head)s, touched = %(touched)s WHERE scope = %(scope)s
)
UPDATE scope_leases
SET fence = greatest(fence, %(fence)s), last_recorded = %(last_recorded)s
WHERE scope = %(scope)s
