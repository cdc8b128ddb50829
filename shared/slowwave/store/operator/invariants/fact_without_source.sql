-- Facts without a source episode.
--
-- One scan of facts against delta_sources_pkey.
SELECT DISTINCT f.scope, 'fact ' || f.fact AS subject
FROM facts f
WHERE NOT EXISTS (SELECT FROM delta_sources s WHERE s.delta = f.fact)
LIMIT %(most)s
