-- The contents of these episodes and the speaker's local time, by scope and position.
--
-- Served by the primary key of each partition; the time of receipt prunes the partitions.
SELECT e.id, e.content, e.utc_offset
FROM
    unnest(%(scopes)s::uuid[], %(positions)s::bigint[], %(received)s::timestamptz[])
        AS chosen (scope, position, received)
JOIN episodes AS e ON e.scope = chosen.scope AND e.position = chosen.position AND e.received = chosen.received
