-- Archived conversations last touched at or before a given time, each with True if an open fact cites the conversation.
-- Facts in `gone` count as closed.
--
-- Served by conversations_archived; then, for their scopes alone, by facts_open_recent, delta_sources_pkey,
-- delta_sources_origin and the primary keys of episodes. Conversations under a legal hold are left out. An expired
-- conversation is returned again only if it was touched since. Conversations in `also` count as archived.
WITH due AS MATERIALIZED (
    SELECT c.scope, c.session, c.touched
    FROM conversations c
    WHERE
        c.tenant = slowwave_tenant() AND c.slice = ANY(%(slices)s::smallint[]) AND c.archived IS NOT NULL
        AND c.touched <= %(before)s AND (c.tombstoned IS NULL OR c.tombstoned < c.touched)
        AND (c.scope, c.session) > (%(scope)s, %(session)s)
        AND NOT EXISTS (SELECT FROM slowwave_legal_holds(c.tenant, c.scope))
    UNION ALL
    SELECT c.scope, c.session, c.touched
    FROM unnest(%(also_scopes)s::uuid[], %(also_sessions)s::text[]) AS a (scope, session)
    JOIN conversations c ON c.scope = a.scope AND c.session = a.session
    WHERE c.touched <= %(before)s
),
over AS MATERIALIZED (SELECT scope, session, touched FROM due ORDER BY scope, session LIMIT %(most)s),
scopes AS MATERIALIZED (SELECT DISTINCT scope FROM over),
cited AS MATERIALIZED (
    SELECT e.scope, e.session
    FROM scopes p
    JOIN facts f ON f.scope = p.scope AND upper_inf(f.recorded) AND f.fact <> ALL(%(gone)s::uuid[])
    JOIN delta_sources s ON s.delta = f.fact AND s.origin IS NULL
    JOIN episodes e ON e.scope = f.scope AND e.position = s.position
    UNION
    SELECT e.scope, e.session
    FROM scopes p
    JOIN delta_sources s ON s.origin = p.scope
    JOIN facts f ON f.fact = s.delta AND upper_inf(f.recorded) AND f.fact <> ALL(%(gone)s::uuid[])
    JOIN episodes e ON e.scope = p.scope AND e.position = s.position
)
SELECT o.scope, o.session, o.touched AS at, c.scope IS NOT NULL AS cited
FROM over o LEFT JOIN cited c ON c.scope = o.scope AND c.session = o.session
ORDER BY o.scope, o.session
