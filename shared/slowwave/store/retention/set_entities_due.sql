-- Sets the next due times of entities, their tombstones, and the times since which they are below their floor.
--
-- Served by entities_pkey.
UPDATE entities e
SET
    due = l.due,
    tombstoned = CASE WHEN l.tombstoned THEN %(now)s::timestamptz END,
    faded = CASE WHEN l.faded THEN coalesce(e.faded, %(now)s) END
FROM
    unnest(
        %(scopes)s::uuid[],
        %(entities)s::uuid[],
        %(dues)s::timestamptz[],
        %(tombstoned)s::boolean[],
        %(faded)s::boolean[]
    ) AS l (scope, entity, due, tombstoned, faded)
WHERE
    e.scope = l.scope
    AND e.entity = l.entity
