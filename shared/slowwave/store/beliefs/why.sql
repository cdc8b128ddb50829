-- Every delta that created, confirmed, changed or ended a fact, oldest first, with the words it cites, the cited
-- episodes that are not stored any more, and the facts it replaced. A turn does not confirm the fact that it made.
--
-- Served by deltas_pkey and, for later deltas, the scope's part of deltas.
SELECT
    d.id, d.kind, d.rule, d.confidence, d.recorded, d.run, p.payload,
    (
        SELECT
            jsonb_agg(jsonb_build_object(
                'episode', s.episode, 'key', s.key, 'position', s.position, 'start', s.span_start, 'end', s.span_end,
                'occurred', e.occurred, 'session', e.session, 'speaker', coalesce(e.speaker, e.role),
                'content', e.content, 'channel', h.channel
            ) ORDER BY s.ordinal)
        FROM delta_sources s
        LEFT JOIN scope_heads h ON h.scope = s.origin
        JOIN episode_keys k ON k.scope = coalesce(s.origin, d.scope) AND k.position = s.position
        JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
        WHERE s.delta = d.id
    ) AS evidence,
    (
        SELECT
            jsonb_agg(jsonb_build_object(
                'episode', s.episode, 'position', s.position, 'received', k.received, 'erased', k.erased
            ) ORDER BY s.ordinal)
        FROM delta_sources s
        JOIN episode_keys k ON k.scope = coalesce(s.origin, d.scope) AND k.position = s.position
        WHERE s.delta = d.id AND NOT EXISTS (
            SELECT FROM episodes e WHERE (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
        )
    ) AS missing,
    (
        SELECT jsonb_agg(jsonb_build_array(o.relation, o.scope, o.memory) ORDER BY o.ordinal)
        FROM delta_origins o WHERE o.delta = d.id
    ) AS origins,
    (
        SELECT
            jsonb_agg(jsonb_build_object(
                'fact', r.id, 'rule', r.rule, 'recorded', r.recorded, 'payload', said.payload
            ) ORDER BY r.recorded, r.id)
        FROM deltas r LEFT JOIN delta_payloads said ON said.delta = r.id
        WHERE r.id = ANY(d.replaces)
    ) AS replaces
FROM deltas origin
JOIN deltas d
    ON
        d.scope = origin.scope
        AND (d.id IN (origin.id, origin.again) OR d.fact = origin.id OR origin.id = ANY(d.replaces))
LEFT JOIN delta_payloads p ON p.delta = d.id
WHERE
    origin.id = %(fact)s AND origin.kind IN ('add', 'update')
    AND NOT (d.kind = 'noop' AND d.fact = origin.id AND d.position = origin.position AND origin.position > 0)
ORDER BY d.recorded
