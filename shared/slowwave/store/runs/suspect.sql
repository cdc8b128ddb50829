-- Stores the position up to which a pack's episodes in a scope are suspected.
--
-- Served by watermarks_pkey.
UPDATE watermarks
SET suspect = %(position)s
WHERE
    scope = %(scope)s
    AND pack = %(pack)s
