-- For each of some new entities, the nearest older one in meaning, whatever its spelling, with the cosine.
--
-- One exact pass over the scope's part of entity_vectors_pkey for each new entity; entities by entities_pkey.
SELECT new.entity, nearest.entity AS near, nearest.similarity
FROM unnest(%(entities)s::uuid[]) WITH ORDINALITY AS new (entity, place)
JOIN entity_vectors v ON v.scope = %(scope)s AND v.entity = new.entity AND v.space = %(space)s
CROSS JOIN
    LATERAL (
        SELECT w.entity, 1 - (v.embedding <=> w.embedding) AS similarity
        FROM entity_vectors w
        JOIN entities other ON other.scope = w.scope AND other.entity = w.entity AND other.tombstoned IS NULL
        LEFT JOIN unnest(%(entities)s::uuid[]) WITH ORDINALITY AS later (entity, place) ON later.entity = w.entity
        WHERE
            w.scope = %(scope)s AND w.space = %(space)s AND w.entity <> new.entity AND w.entity <> %(user)s
            AND (later.place IS NULL OR later.place < new.place)
        ORDER BY v.embedding <=> w.embedding, w.entity
        LIMIT 1
    ) AS nearest
ORDER BY new.place
