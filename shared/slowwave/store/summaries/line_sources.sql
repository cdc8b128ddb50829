-- The sources of summaries, in the order of their lines.
--
-- Served by delta_sources_pkey. A summary's first source is the source of its last line, because the newest source
-- comes first.
SELECT s.delta, s.episode, s.key, s.position, s.span_start, s.span_end
FROM delta_sources s
WHERE s.delta = ANY(%(facts)s::uuid[])
ORDER BY s.delta, s.ordinal DESC
