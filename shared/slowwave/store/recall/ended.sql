-- Of these turns those of which all that was believed has ended by an instant: until when it held, and what ended it
-- last.
--
-- Served by facts_open_recent, deltas_pkey, episode_keys_scope_position_key and the primary key of a partition.
WITH over AS MATERIALIZED (
    SELECT
        f.scope, f.position, max(upper(f.valid)) AS until,
        (array_agg(f.ended_by ORDER BY upper(f.valid) DESC, f.version DESC))[1] AS ended_by
    FROM unnest(%(scopes)s::uuid[], %(positions)s::bigint[]) AS asked (scope, position)
    CROSS JOIN
        LATERAL (
            SELECT * FROM facts AS t
            WHERE t.scope = asked.scope AND t.position = asked.position AND upper_inf(t.recorded)
            OFFSET 0
        ) AS f
    GROUP BY f.scope, f.position
    HAVING bool_and(NOT upper_inf(f.valid) AND upper(f.valid) <= coalesce(%(now)s::timestamptz, slowwave_now()))
)
SELECT
    over.scope, over.position, over.until, k.position AS by, e.id, e.session, e.occurred, e.received, e.speaker, e.role,
    e.key,
    date_part('epoch', coalesce(%(now)s::timestamptz, slowwave_now()) - e.occurred)::float8 AS age
FROM over
JOIN deltas AS d ON d.id = over.ended_by
JOIN episode_keys AS k ON k.scope = over.scope AND k.position = d.position
CROSS JOIN
    LATERAL (
        SELECT * FROM episodes AS t
        WHERE t.scope = k.scope AND t.position = k.position AND t.received = k.received
        OFFSET 0
    ) AS e
WHERE k.position > over.position
ORDER BY over.scope, over.position
