-- Moves a watermark from just before a window to the window's end, and updates the latest time of the episodes read;
-- changes no row if the watermark is elsewhere.
--
-- Served by watermarks_pkey.
UPDATE watermarks
SET
    position = %(hi)s, planned = greatest(planned, %(hi)s), newest = coalesce(%(newest)s::timestamptz, newest)
WHERE
    scope = %(scope)s
    AND pack = %(pack)s
    AND position = %(lo)s - 1
