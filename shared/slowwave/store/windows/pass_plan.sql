-- Moves how far a pack has planned, from just before a window to its end; touches no row if it stands elsewhere.
--
-- Served by watermarks_pkey.
UPDATE watermarks
SET planned = %(hi)s
WHERE
    scope = %(scope)s
    AND pack = %(pack)s
    AND planned = %(lo)s - 1
