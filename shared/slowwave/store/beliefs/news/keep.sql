-- Inserts the words of opened beliefs. By these words, reported changes find the beliefs that they affect.
--
-- Guarded by belief_words_pkey. Only the holder of the scope's lease opens beliefs, so there is no race.
INSERT INTO belief_words (scope, word, belief, tenant)
SELECT %(scope)s, word, belief, slowwave_tenant()
FROM unnest(%(words)s::bigint[], %(beliefs)s::bigint[]) AS new (word, belief)
ON CONFLICT DO NOTHING
