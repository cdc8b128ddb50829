-- Moves a pack's planned position from just before a window to its end; changes no row if that position is elsewhere.
--
-- Served by watermarks_pkey.
UPDATE watermarks
SET planned = %(hi)s
WHERE
    scope = %(scope)s
    AND pack = %(pack)s
    AND planned = %(lo)s - 1
