-- A pack's planned position in a scope (the watermark, if the pack needs no model), and the limits up to which it
-- reads: the suspected position, the head, and the segment's end. Also True if any pack follows segments.
--
-- Served by watermarks_pkey, scope_heads_pkey and segments_last. `prepared` and `segment_end` are set only for a pack
-- that follows segments: up to which position segment ends are known, and the end of the next complete segment.
SELECT
    w.planned AS position, w.suspect, w.newest, h.head, prepared.position AS prepared,
    CASE
        WHEN prepared.scope IS NOT NULL THEN
            (SELECT min(s.last) FROM segments s WHERE s.scope = w.scope AND s.last > w.planned)
    END AS segment_end,
    EXISTS(SELECT FROM schedules f WHERE f.kind = 'semantic_shift' AND NOT f.paused) AS segmented
FROM watermarks w
JOIN scope_heads h USING (scope)
LEFT JOIN watermarks prepared
    ON
        prepared.scope = w.scope AND prepared.pack = '_prepare'
        AND EXISTS (SELECT FROM schedules c WHERE c.pack = w.pack AND c.kind = 'semantic_shift' AND NOT c.paused)
WHERE w.scope = %(scope)s AND w.pack = %(pack)s
