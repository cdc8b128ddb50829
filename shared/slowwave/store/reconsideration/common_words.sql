-- Those of the given words that occur in so many beliefs of a scope that they identify no belief.
--
-- Served by belief_words_pkey.
SELECT word FROM belief_words
WHERE scope = %(scope)s AND word = ANY(%(words)s::bigint[])
GROUP BY word
HAVING count(*) > %(most)s
ORDER BY word
