-- A dead letter of a conflict that a person must decide, one per episode and pack.
INSERT INTO dead_letters (tenant, scope, pack, episode, position, category, reason, item)
VALUES (slowwave_tenant(), %(scope)s, %(pack)s, %(episode)s, %(position)s, 'conflict', %(reason)s, %(item)s::jsonb)
ON CONFLICT DO NOTHING;
