-- For each of some new entities, the older one with a matching name that is nearest in meaning, with the cosine.
--
-- Served by entities_pkey, entities_spelled and entity_vectors_pkey: a few matching names. Each step has a LIMIT, so
-- that no plan reads all names, whatever the statistics say.
SELECT DISTINCT ON (new.place)
    new.entity, other.entity AS near, 1 - (own.embedding <=> mean.embedding) AS similarity
FROM unnest(%(entities)s::uuid[]) WITH ORDINALITY AS new (entity, place)
CROSS JOIN
    LATERAL (
        SELECT e.spelled, v.embedding
        FROM entities e
        JOIN entity_vectors v ON v.scope = e.scope AND v.entity = e.entity AND v.space = %(space)s
        WHERE e.scope = %(scope)s AND e.entity = new.entity
        LIMIT 1
    ) AS own
CROSS JOIN
    LATERAL (
        SELECT e.entity
        FROM entities e
        WHERE
            e.scope = %(scope)s AND e.spelled = own.spelled AND e.entity <> new.entity AND e.tombstoned IS NULL
            AND coalesce(array_position(%(entities)s::uuid[], e.entity), 0) < new.place
        ORDER BY e.entity
        LIMIT 20
    ) AS other
CROSS JOIN
    LATERAL (
        SELECT v.embedding
        FROM entity_vectors v
        WHERE v.scope = %(scope)s AND v.entity = other.entity AND v.space = %(space)s
        LIMIT 1
    ) AS mean
ORDER BY new.place, similarity DESC, other.entity
