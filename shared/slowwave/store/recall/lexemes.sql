-- The stems of these names and of the word for a user in facts.
--
-- No table is read.
SELECT tsvector_to_array(to_tsvector('english', 'user ' || array_to_string(%(called)s::text[], ' '))) AS lexemes
