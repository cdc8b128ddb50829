-- The texts of all episodes in the given scopes or in all, and of the facts made from them, by the episode's position.
--
-- A delta names the session of its first source, so that sessions are found whose episodes' month was dropped. One scan
-- of the tenant's episodes, facts and deltas: people ask for this, and rarely.
SELECT e.scope, e.position, jsonb_build_array(e.content, e.metadata, e.speaker, e.session, e.key) AS texts
FROM episodes AS e
WHERE %(scopes)s::uuid[] IS NULL OR e.scope = ANY(%(scopes)s::uuid[])
UNION ALL
SELECT coalesce(s.origin, f.scope), s.position, jsonb_build_array(f.text, f.object, f.subject)
FROM facts AS f
JOIN delta_sources AS s ON s.delta = f.fact
WHERE %(scopes)s::uuid[] IS NULL OR f.scope = ANY(%(scopes)s::uuid[])
UNION ALL
SELECT coalesce(s.origin, d.scope), s.position, p.payload -> 'session'
FROM deltas AS d
JOIN delta_payloads AS p ON p.delta = d.id
JOIN delta_sources AS s ON s.delta = d.id AND s.ordinal = 0
WHERE %(scopes)s::uuid[] IS NULL OR d.scope = ANY(%(scopes)s::uuid[])
