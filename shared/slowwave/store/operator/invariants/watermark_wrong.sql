-- Watermarks beyond the scope's head, without a scope, or before the end of the last successful window.
--
-- One scan of watermarks against scope_heads_pkey, and the latest runs of each scope by runs_of_scope.
SELECT w.scope, 'watermark of ' || w.pack || ' at ' || w.position AS subject
FROM watermarks w
LEFT JOIN scope_heads h USING (scope)
LEFT JOIN LATERAL (
    SELECT r.hi, r.job FROM runs r
    WHERE r.scope = w.scope AND r.pack = w.pack AND r.outcome IN ('ok', 'dead') AND r.job = ANY(%(windowed)s::text[])
    ORDER BY r.run DESC LIMIT 1
) AS last ON true
WHERE
    h.head IS NULL
    OR w.planned > h.head
    OR w.position < 0
    OR CASE WHEN last.job = %(plan)s THEN w.planned ELSE w.position END < last.hi
LIMIT %(most)s
