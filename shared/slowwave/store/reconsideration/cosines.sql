-- The cosines of pairs of facts, in the space in which both have a vector.
--
-- Served by fact_vectors_pkey, one pair at a time.
SELECT p.news, p.belief, max(1 - (n.embedding <=> b.embedding)) AS cosine
FROM unnest(%(news)s::uuid[], %(beliefs)s::uuid[]) AS p (news, belief)
JOIN fact_vectors n ON n.scope = %(scope)s AND n.fact = p.news
JOIN fact_vectors b ON b.scope = %(scope)s AND b.fact = p.belief AND b.space = n.space
GROUP BY p.news, p.belief
ORDER BY p.news, p.belief
