-- Closes open versions in recorded time; returns how many there were, to be compared with how many were meant.
--
-- Served by facts_pkey.
UPDATE facts f SET recorded = tstzrange(lower(f.recorded), c.at)
FROM unnest(%(versions)s::bigint[], %(at)s::timestamptz[]) AS c (version, at)
WHERE f.version = c.version AND f.scope = %(scope)s AND upper_inf(f.recorded)
