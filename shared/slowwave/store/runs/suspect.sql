-- Remembers how far the suspicion of a pack reaches in a scope.
--
-- Served by watermarks_pkey.
UPDATE watermarks
SET suspect = %(position)s
WHERE
    scope = %(scope)s
    AND pack = %(pack)s
