-- Puts a scope into an embedding space of zero vectors, and begins its move to the target space. Every memory that
-- needs a vector gets a zero vector, by which the move finds the memory.
--
-- Served by entities_pkey, strategies_pkey, goals_pkey and consensus_pkey; guarded by embedding_moves_pkey.
WITH nothing AS (
    SELECT ('[1' || repeat(',0', %(dimensions)s - 1) || ']')::vector AS embedding
),
named AS (
    INSERT INTO entity_vectors (scope, entity, space, tenant, embedding)
    SELECT e.scope, e.entity, %(space)s, slowwave_tenant(), n.embedding
    FROM entities AS e CROSS JOIN nothing AS n
    WHERE e.scope = %(scope)s
    ON CONFLICT DO NOTHING
),
known AS (
    UPDATE strategies SET space = %(space)s, embedding = n.embedding FROM nothing AS n WHERE scope = %(scope)s
),
wanted AS (
    UPDATE goals SET space = %(space)s, embedding = n.embedding FROM nothing AS n WHERE scope = %(scope)s
),
agreed AS (
    UPDATE consensus SET space = %(space)s, embedding = n.embedding FROM nothing AS n WHERE scope = %(scope)s
)
INSERT INTO embedding_moves (scope, tenant, space, toward, since)
VALUES (%(scope)s, slowwave_tenant(), %(space)s, %(target)s, slowwave_now())
ON CONFLICT DO NOTHING
