-- The stems of these names, and the stem of the word that facts use for the user.
--
-- No table is read.
SELECT tsvector_to_array(to_tsvector('english', 'user ' || array_to_string(%(called)s::text[], ' '))) AS lexemes
