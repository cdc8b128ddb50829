-- Inserts a consensus or dissent of agents, once.
--
-- Guarded by consensus_pkey.
INSERT INTO consensus (
    scope, record, tenant, stance, topic, topic_hash, statement, agents, confidence, reason, metadata,
    space, embedding
)
VALUES (
    %(scope)s, %(record)s, slowwave_tenant(), %(stance)s, %(topic)s, %(topic_hash)s, %(statement)s,
    %(agents)s::text[], %(confidence)s, %(reason)s, %(metadata)s::jsonb, %(space)s, %(embedding)b
)
ON CONFLICT DO NOTHING
RETURNING record
