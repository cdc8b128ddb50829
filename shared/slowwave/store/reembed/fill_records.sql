-- Stores the vectors of strategies, goals and consensus of a scope in a space. A text without meaning in the space gets
-- NULL.
--
-- Served by strategies_pkey, goals_pkey and consensus_pkey.
WITH new AS MATERIALIZED (
    SELECT id, CASE WHEN vector_norm(embedding) > 0 THEN embedding END AS embedding
    FROM unnest(%(ids)s::uuid[], %(vectors)b::vector[]) AS n (id, embedding)
),
of_strategies AS (
    UPDATE strategies AS s
    SET space = CASE WHEN new.embedding IS NOT NULL THEN %(space)s::smallint END, embedding = new.embedding
    FROM new WHERE s.scope = %(scope)s AND s.strategy = new.id
),
of_goals AS (
    UPDATE goals AS g
    SET space = CASE WHEN new.embedding IS NOT NULL THEN %(space)s::smallint END, embedding = new.embedding
    FROM new WHERE g.scope = %(scope)s AND g.goal = new.id
)
UPDATE consensus AS c
SET space = CASE WHEN new.embedding IS NOT NULL THEN %(space)s::smallint END, embedding = new.embedding
FROM new WHERE c.scope = %(scope)s AND c.record = new.id
