-- The episodes at these positions in order, each with the end and a digest of its text, and whether it is archived.
--
-- Served by the primary key of each partition of episodes and by standing_pkey: one row per position.
SELECT
    c.ordinal::int AS ordinal, e.id, e.session, e.occurred, e.received,
    e.speaker, e.role, e.key, slowwave_right(e.content, %(end_characters)s) AS ending,
    CASE WHEN NOT slowwave_is_encrypted(e.content) THEN md5(lower(btrim(e.content))) END AS gist,
    NOT %(shelved)s AND EXISTS (
        SELECT FROM standing AS s WHERE s.scope = e.scope AND s.memory = e.id AND s.tier = 'archive'
    ) AS put_by
FROM
    unnest(%(of_scopes)s::uuid[], %(positions)s::bigint[], %(received)s::bigint[])
    WITH ORDINALITY AS c (scope, position, received, ordinal)
CROSS JOIN
    LATERAL (
        SELECT * FROM episodes AS t
        WHERE
            t.scope = c.scope AND t.position = c.position
            AND t.received = timestamptz 'epoch' + c.received * interval '1 microsecond'
        OFFSET 0
    ) AS e
ORDER BY c.ordinal
