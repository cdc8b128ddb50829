-- The texts and sources of evicted facts that are still believed: one row per source.
--
-- Served by facts_of_delta and delta_sources_pkey.
SELECT
    f.fact, f.subject, f.text, f.confidence, f.session, s.episode, s.key, s.position, s.span_start,
    s.span_end, s.origin
FROM (
    SELECT DISTINCT ON (f.fact) f.* FROM facts f
    WHERE f.scope = %(scope)s AND f.fact = ANY(%(facts)s::uuid[]) AND upper_inf(f.recorded)
    ORDER BY f.fact, f.version
) AS f
JOIN delta_sources s ON s.delta = f.fact
ORDER BY f.fact, s.ordinal
