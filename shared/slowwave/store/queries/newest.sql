-- The newest matching episodes of each of these scopes, below a position and a time of receipt.
--
-- Served by the primary key of each partition of episodes, read backwards from the scope's head or from the end of the
-- page before, until enough are found; by episodes_tool_calls if only tool calls are requested; conversations by
-- conversations_pkey. Expired episodes are left out, and archived ones unless requested.
SELECT
    e.scope, e.id, e.key, e.position, e.received, e.occurred, e.utc_offset, e.session, e.role, e.kind, e.speaker,
    e.content, e.metadata
FROM unnest(%(scopes)s::uuid[], %(positions)s::bigint[], %(times)s::timestamptz[]) AS s (scope, below, before)
CROSS JOIN
    LATERAL (
        SELECT n.*
        FROM episodes AS n
        WHERE
            n.scope = s.scope AND n.position < s.below AND n.received < s.before
            AND (%(kinds)s::text[] IS NULL OR n.kind = ANY(%(kinds)s::text[]))
            AND (%(roles)s::text[] IS NULL OR n.role = ANY(%(roles)s::text[]))
            AND (%(sessions)s::text[] IS NULL OR n.session = ANY(%(sessions)s::text[]))
            AND (%(since)s::timestamptz IS NULL OR n.occurred >= %(since)s::timestamptz)
            AND (%(until)s::timestamptz IS NULL OR n.occurred < %(until)s::timestamptz)
            AND (%(tools)s::text[] IS NULL OR n.metadata ->> 'tool' = ANY(%(tools)s::text[]))
            AND (%(success)s::boolean IS NULL OR n.metadata -> 'success' = to_jsonb(%(success)s::boolean))
            AND NOT EXISTS (
                SELECT FROM conversations AS c
                WHERE
                    c.scope = n.scope AND c.session = n.session
                    AND n.received <= greatest(CASE WHEN NOT %(archived)s THEN c.archived END, c.tombstoned)
            )
        ORDER BY n.position DESC
        LIMIT %(most)s
    ) AS e
ORDER BY e.scope, e.position DESC
