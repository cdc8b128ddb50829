-- Those of some words that stand in more beliefs of a scope than a word may that says something of one of them.
--
-- Served by belief_words_pkey.
SELECT word FROM belief_words
WHERE scope = %(scope)s AND word = ANY(%(words)s::bigint[])
GROUP BY word
HAVING count(*) > %(most)s
ORDER BY word
