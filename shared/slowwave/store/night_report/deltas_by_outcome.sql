-- The number of the last deltas of a night by outcome, and the latest deltas of each kind as examples.
--
-- A limited number of deltas is read, however many the night had. The pack of a delta shows that its fact was promoted,
-- faded or archived. A statement that replaced, corrected, ended or retracted a belief is given in the speaker's words.
-- Served by deltas_in_order, backwards; for the examples alone by delta_payloads_pkey, scope_heads_pkey,
-- facts_of_delta, delta_sources_pkey, episode_keys_pkey, episodes_pkey and conversations_pkey.
WITH latest AS MATERIALIZED (
    SELECT
        id, scope, rule, confidence, recorded, replaces, kind = 'delete' AS ended,
        CASE
            WHEN kind = 'noop' THEN 'confirmed'
            WHEN pack = '_promote' AND kind = 'add' THEN 'promoted'
            WHEN pack = '_decay' THEN 'faded'
            WHEN pack = '_archive' THEN 'archived'
            WHEN kind = 'add' THEN 'learned'
            WHEN kind = 'update' OR mode IN ('correct', 'end', 'forget') THEN 'changed'
            ELSE 'withdrawn'
        END AS what
    FROM deltas
    WHERE tenant = %(tenant)s AND recorded >= %(since)s AND recorded < %(until)s
    ORDER BY recorded DESC, id DESC
    LIMIT %(most)s
), ranked AS (
    SELECT
        id, scope, rule, confidence, recorded, replaces, ended, what,
        count(*) OVER (PARTITION BY what) AS number,
        row_number() OVER (PARTITION BY what ORDER BY recorded DESC, id DESC) AS place
    FROM latest
)
SELECT
    r.what, r.number, r.ended, p.payload, r.rule, r.confidence, r.recorded, h.tenant, h.user_id, h.agent, h.channel,
    (SELECT f.text FROM facts f WHERE f.fact = r.replaces[1] ORDER BY f.version LIMIT 1) AS before,
    (
        SELECT jsonb_build_array(e.content, s.span_start, least(s.span_end, s.span_start + %(longest)s))
        FROM delta_sources s
        JOIN episode_keys k ON k.scope = coalesce(s.origin, r.scope) AND k.id = s.episode
        JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
        WHERE
            r.what = 'changed' AND s.delta = r.id AND s.ordinal = 0
            AND NOT EXISTS (
                SELECT FROM conversations c
                WHERE c.scope = e.scope AND c.session = e.session AND e.received <= c.tombstoned
            )
    ) AS cited
FROM ranked r
JOIN scope_heads h ON h.scope = r.scope
LEFT JOIN delta_payloads p ON p.delta = r.id
WHERE r.place <= %(examples)s
ORDER BY r.what, r.place
