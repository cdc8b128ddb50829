-- Consensus and dissent of a user's agents in this channel and the global one: the most similar first, then the latest.
--
-- Served by scope_heads_tenant_user_id_agent_channel_key, then consensus_topic or consensus_pkey. Similarity is exact.
-- The same topic has similarity 1. Without a vector, only the same topic is found.
SELECT
    c.record AS id, c.stance, c.topic, c.topic_hash, c.statement, c.agents, c.confidence, c.reason, c.metadata,
    c.decided, s.similarity
FROM scope_heads h
JOIN consensus c USING (scope)
LEFT JOIN embedding_spaces e ON e.space = c.space AND e.name = %(space)s
CROSS JOIN
    LATERAL (
        SELECT CASE
            WHEN c.topic_hash = %(topic_hash)s THEN 1.0
            WHEN e.space IS NOT NULL THEN 1 - (c.embedding <=> %(vector)b::vector)
        END AS similarity
    ) AS s
WHERE
    h.tenant = %(tenant)s AND h.user_id = %(user)s AND h.channel = ANY(%(channels)s::text[])
    AND (%(stance)s::text IS NULL OR c.stance = %(stance)s)
    AND (%(record)s::uuid IS NULL OR c.record = %(record)s)
    AND CASE WHEN %(same)s THEN c.topic_hash = %(topic_hash)s ELSE s.similarity IS NOT NULL END
ORDER BY s.similarity DESC, c.decided DESC, c.record
LIMIT %(most)s
