-- The conversations of these scopes, the most recent first, including episodes that no worker has prepared yet.
--
-- Served by conversations_pkey, scope_heads_pkey and watermarks_pkey, and by the primary key of each partition of
-- episodes, read backwards from the head to the watermark; a LIMIT gives their number, as the planner would otherwise
-- expect a third of all. A new episode brings an archived conversation back.
WITH unread AS MATERIALIZED (
    SELECT h.scope, coalesce(w.position, 0) AS prepared, h.head
    FROM scope_heads AS h
    LEFT JOIN watermarks AS w ON w.scope = h.scope AND w.pack = %(pack)s
    WHERE h.scope = ANY(%(scopes)s::uuid[]) AND h.head > coalesce(w.position, 0)
),
waiting AS MATERIALIZED (
    SELECT
        e.scope, e.session, min(e.occurred) AS first_at, max(e.occurred) AS last_at, count(*) AS episodes,
        max(e.received) AS touched
    FROM unread
    CROSS JOIN
        LATERAL (
            SELECT n.scope, n.session, n.occurred, n.received
            FROM episodes AS n
            WHERE n.scope = unread.scope AND n.position > unread.prepared
            ORDER BY n.position DESC
            LIMIT unread.head - unread.prepared
        ) AS e
    GROUP BY e.scope, e.session
),
known AS MATERIALIZED (
    SELECT scope, session, first_at, last_at, episodes, archived, tombstoned
    FROM conversations
    WHERE scope = ANY(%(scopes)s::uuid[])
),
together AS (
    SELECT
        scope, session, least(k.first_at, w.first_at) AS first_at, greatest(k.last_at, w.last_at) AS last_at,
        coalesce(k.episodes, 0) + coalesce(w.episodes, 0) AS episodes,
        CASE WHEN w.touched > k.archived THEN NULL ELSE k.archived END AS archived, k.tombstoned
    FROM known AS k FULL JOIN waiting AS w USING (scope, session)
)
SELECT scope, session, first_at, last_at, episodes, archived, tombstoned
FROM together
WHERE
    (%(sessions)s::text[] IS NULL OR session = ANY(%(sessions)s::text[]))
    AND (%(archived)s::boolean IS NULL OR (archived IS NOT NULL) = %(archived)s::boolean)
    AND (
        %(last_at)s::timestamptz IS NULL
        OR (last_at, scope, session) < (%(last_at)s::timestamptz, %(scope)s::uuid, %(session)s::text)
    )
ORDER BY last_at DESC, scope DESC, session DESC
LIMIT %(most)s
