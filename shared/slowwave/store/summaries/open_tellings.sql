-- The subjects of a scope's sessions whose telling waits for a reply, or has more to tell of.
--
-- Served by tellings_open.
SELECT about FROM tellings
WHERE scope = %(scope)s AND session IS NOT NULL AND (waiting IS NOT NULL OR reached > covered)
ORDER BY about
