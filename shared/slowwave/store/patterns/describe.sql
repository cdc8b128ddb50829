-- Stores the vectors of strategies, and the latest description of a strategy by an agent, if there is a description.
--
-- Served by strategies_pkey.
UPDATE strategies AS s
SET
    description = CASE WHEN new.taught THEN new.description ELSE s.description END,
    context_pattern = CASE WHEN new.taught THEN new.context_pattern ELSE s.context_pattern END,
    space = %(space)s, embedding = new.embedding
FROM
    unnest(
        %(strategies)s::uuid[], %(taught)s::boolean[], %(descriptions)s::text[], %(contexts)s::text[],
        %(vectors)b::vector[]
    ) AS new (strategy, taught, description, context_pattern, embedding)
WHERE
    s.scope = %(scope)s AND s.strategy = new.strategy
    AND (new.taught OR s.embedding IS NULL OR s.space <> %(space)s)
