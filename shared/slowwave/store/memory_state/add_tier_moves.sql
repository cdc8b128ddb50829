-- Appends tier moves to the history, in their own transaction.
--
-- Served by nothing: it only appends.
INSERT INTO tier_moves (tenant, scope, memory, from_tier, to_tier, reason, at, run)
SELECT slowwave_tenant(), scope, memory, from_tier, to_tier, reason, %(at)s, %(run)s
FROM unnest(%(scopes)s::uuid[], %(memories)s::uuid[], %(origins)s::text[], %(targets)s::text[], %(reasons)s::text[])
    AS step (scope, memory, from_tier, to_tier, reason)
