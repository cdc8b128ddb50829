-- Dead letters of this tenant, each with its scope and the text of its episode. Either all letters are returned, or a
-- page after a given letter.
--
-- Served by dead_letters_pkey; heads, keys and episodes by their primary keys.
SELECT
    d.letter, d.tenant, h.user_id AS "user", h.agent, h.channel, d.pack, d.episode, e.key, d.position, d.category,
    d.reason, d.item, d.seen, d.state, d.born AS created, e.content
FROM dead_letters d
LEFT JOIN scope_heads h ON h.scope = d.scope
LEFT JOIN episode_keys k ON k.scope = d.scope AND k.id = d.episode
LEFT JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE
    d.tenant = slowwave_tenant()
    AND (%(state)s::text IS NULL OR d.state = %(state)s)
    AND (%(numbers)s::bigint[] IS NULL OR d.letter = ANY(%(numbers)s::bigint[]))
    AND (%(conflicts)s::boolean IS NULL OR (d.category = 'conflict' AND d.pack IS NOT NULL) = %(conflicts)s)
    AND (%(scope)s::uuid IS NULL OR d.scope = %(scope)s)
    AND d.letter > %(after)s
ORDER BY d.letter
LIMIT %(most)s
