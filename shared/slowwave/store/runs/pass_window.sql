-- Moves a watermark from just before a window to its end, and the latest time of what was read; changes no row if it is
-- elsewhere.
--
-- Served by watermarks_pkey.
UPDATE watermarks
SET
    position = %(hi)s, planned = greatest(planned, %(hi)s), newest = coalesce(%(newest)s::timestamptz, newest)
WHERE
    scope = %(scope)s
    AND pack = %(pack)s
    AND position = %(lo)s - 1
