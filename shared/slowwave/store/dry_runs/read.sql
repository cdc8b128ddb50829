-- The last position that each pack has read in a scope.
--
-- Served by watermarks_pkey.
SELECT pack, position FROM watermarks WHERE scope = %(scope)s ORDER BY pack
