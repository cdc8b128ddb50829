-- Inserts a dead letter for a conflict that a person must decide. There is one letter per episode and pack.
INSERT INTO dead_letters (tenant, scope, pack, episode, position, category, reason, item)
VALUES (slowwave_tenant(), %(scope)s, %(pack)s, %(episode)s, %(position)s, 'conflict', %(reason)s, %(item)s::jsonb)
ON CONFLICT DO NOTHING;
