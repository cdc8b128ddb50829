-- The texts of all episodes in the given scopes or in all, and of the facts made from them, by the episode's position;
-- only those of a *session* if it is given. Of a session whose month was dropped, the deltas still name the session.
--
-- One scan of the tenant's episodes, facts and deltas: people ask for this, and rarely.
SELECT scope, position, texts
FROM (
    SELECT scope, position, session, jsonb_build_array(content, metadata, speaker, session, key) AS texts FROM episodes
    UNION ALL
    SELECT coalesce(s.origin, f.scope), s.position, NULL, jsonb_build_array(f.text, f.object, f.subject)
    FROM facts AS f JOIN delta_sources AS s ON s.delta = f.fact
    UNION ALL
    SELECT coalesce(s.origin, d.scope), s.position, p.payload ->> 'session', p.payload -> 'session'
    FROM deltas AS d
    JOIN delta_payloads AS p ON p.delta = d.id
    JOIN delta_sources AS s ON s.delta = d.id AND s.ordinal = 0
    UNION ALL
    SELECT scope, NULL, session, to_jsonb(session) FROM conversations
) AS known
WHERE
    (%(scopes)s::uuid[] IS NULL OR scope = ANY(%(scopes)s::uuid[]))
    AND (%(session)s::text IS NULL OR session = %(session)s)
