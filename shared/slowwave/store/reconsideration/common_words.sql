-- Those of some words that occur in too many beliefs of a scope to identify one.
--
-- Served by belief_words_pkey.
SELECT word FROM belief_words
WHERE scope = %(scope)s AND word = ANY(%(words)s::bigint[])
GROUP BY word
HAVING count(*) > %(most)s
ORDER BY word
