-- Inserts a dead letter for each episode at the given positions of a scope. There is one letter per episode and pack.
--
-- Served by episode_keys_scope_position_key.
INSERT INTO dead_letters (tenant, scope, pack, episode, position, category, reason)
SELECT slowwave_tenant(), scope, %(pack)s, id, position, %(category)s, %(reason)s
FROM episode_keys
WHERE scope = %(scope)s AND position = ANY(%(positions)s::bigint[])
ON CONFLICT DO NOTHING;
