-- Stores the vectors of model summaries in an embedding space.
--
-- Served by model_summaries_pkey.
UPDATE model_summaries AS t
SET space = %(space)s, embedding = n.embedding
FROM unnest(%(abouts)s::text[], %(vectors)b::vector[]) AS n (about, embedding)
WHERE t.scope = %(scope)s AND t.about = n.about
