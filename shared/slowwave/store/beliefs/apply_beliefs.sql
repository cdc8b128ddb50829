-- The numbers of these beliefs. New beliefs are inserted.
--
-- Served by beliefs_scope_digest_key. Only the holder of the scope's lease creates beliefs, so there is no race.
WITH asked AS (SELECT DISTINCT digest FROM unnest(%(digests)s::bytea[]) AS asked (digest)),
made AS (
    INSERT INTO beliefs (scope, tenant, digest)
    SELECT %(scope)s, slowwave_tenant(), digest FROM asked ORDER BY digest
    ON CONFLICT DO NOTHING
    RETURNING belief, digest
)
SELECT digest, belief FROM made
UNION ALL
SELECT b.digest, b.belief FROM asked JOIN beliefs b ON b.scope = %(scope)s AND b.digest = asked.digest
