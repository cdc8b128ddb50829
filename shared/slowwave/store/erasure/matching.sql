-- The episodes that contain the given words, or from which a fact with these words was made, in the given scopes or in
-- all.
--
-- One scan of the tenant's episodes and facts: people ask for this, and rarely.
SELECT scope, array_agg(DISTINCT position) AS positions
FROM (
    SELECT e.scope, e.position
    FROM episodes AS e
    WHERE
        (%(scopes)s::uuid[] IS NULL OR e.scope = ANY(%(scopes)s::uuid[]))
        AND (
            e.content ILIKE %(like)s OR e.metadata::text ILIKE %(like)s OR e.speaker ILIKE %(like)s
            OR e.session ILIKE %(like)s OR e.key ILIKE %(like)s
        )
    UNION
    SELECT coalesce(s.origin, f.scope), s.position
    FROM facts AS f
    JOIN delta_sources AS s ON s.delta = f.fact
    WHERE
        (%(scopes)s::uuid[] IS NULL OR f.scope = ANY(%(scopes)s::uuid[]))
        AND (f.text ILIKE %(like)s OR f.object ILIKE %(like)s OR f.subject ILIKE %(like)s)
) AS found
GROUP BY scope
ORDER BY scope
