-- Inserts turns in languages that no pack in force reads, except turns that a former model of the packs read.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key for each episode, and by
-- model_windows_begin. Turns that a model in force reads are not among the input. Safe to repeat.
INSERT INTO unread_turns (scope, position, tenant, received, session, language)
SELECT e.scope, e.position, e.tenant, e.received, e.session, t.language
FROM unnest(%(positions)s::bigint[], %(languages)s::text[]) AS t (position, language)
JOIN episode_keys AS k ON k.scope = %(scope)s AND k.position = t.position
JOIN episodes AS e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE
    NOT EXISTS (
        SELECT
        FROM packs AS p
        JOIN model_windows AS w ON w.pack = p.pack AND w.scope = %(scope)s AND w.lo <= t.position
        WHERE NOT p.active AND w.chosen IS NULL AND w.state = 'done' AND w.hi >= t.position
    )
ON CONFLICT (scope, position) DO NOTHING
