-- Moves a pack's planned position from just before a window to the window's end. Changes no row if the planned position
-- is elsewhere.
--
-- Served by watermarks_pkey.
UPDATE watermarks
SET planned = %(hi)s
WHERE
    scope = %(scope)s
    AND pack = %(pack)s
    AND planned = %(lo)s - 1
