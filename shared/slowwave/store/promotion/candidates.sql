-- Candidates for promotion: those of these facts that are believed and valid now, with their evidence.
--
-- Served by facts_of_delta, standing_pkey, deltas_confirming, delta_sources_pkey and promotions_source. A conversation
-- counts once, however often it states the fact. Only channels of the same agent and user count. *by_hand* has the terms
-- of a promotion by hand that ended because the fact was no longer believed.
WITH asked AS MATERIALIZED (
    SELECT DISTINCT scope, fact FROM unnest(%(scopes)s::uuid[], %(facts)s::uuid[]) AS asked (scope, fact)
)
SELECT
    a.scope, a.fact, h.channel, f.version, f.subject, f.predicate, f.object, f.single_valued, f.confidence,
    lower(f.valid) AS valid_from, upper(f.valid) AS valid_to, f.form, f.text, f.tense,
    coalesce(s.access_count, 0) AS accesses,
    coalesce(p.payload ->> 'certainty', 'explicit') AS certainty,
    (
        SELECT count(DISTINCT said.session)
        FROM (
            SELECT a.fact AS delta
            UNION ALL
            SELECT c.delta FROM slowwave_confirmations(a.scope, a.fact) c
        ) AS told
        CROSS JOIN
            LATERAL (
                SELECT e.session
                FROM delta_sources t
                JOIN episode_keys k ON k.scope = coalesce(t.origin, a.scope) AND k.position = t.position
                JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
                WHERE t.delta = told.delta
                UNION ALL
                SELECT w.payload ->> 'session' FROM delta_payloads w
                WHERE w.delta = told.delta AND w.payload ->> 'session' <> ''
            ) AS said
    ) AS conversations,
    (
        SELECT max(lower(d.valid)) FROM slowwave_confirmations(a.scope, a.fact) d WHERE lower(d.valid) <= %(now)s
    ) AS said,
    (SELECT
        jsonb_agg(jsonb_build_array(
            t.episode, t.key, t.position, t.span_start, t.span_end, coalesce(t.origin, a.scope)
        ) ORDER BY t.ordinal)
    FROM delta_sources t WHERE t.delta = a.fact) AS sources,
    (SELECT count(*) FROM promotions x WHERE x.source_fact = a.fact AND x.target = g.scope) AS earlier,
    (
        SELECT x.fact FROM promotions x
        WHERE x.source_fact = a.fact AND x.target = g.scope AND x.undone IS NULL
    ) AS promoted,
    (
        SELECT x.policy
        FROM slowwave_same_fact(a.scope, a.fact) AS same (fact) JOIN promotions x ON x.source_fact = same.fact
        WHERE x.source_scope = a.scope AND x.target = g.scope AND x.undone IS NOT NULL AND x.policy ? 'by_hand'
        ORDER BY x.promotion DESC LIMIT 1
    ) AS by_hand
FROM asked a
JOIN scope_heads h ON h.scope = a.scope AND h.channel <> '_global'
JOIN scope_heads g ON (g.tenant, g.user_id, g.agent, g.channel) = (h.tenant, h.user_id, h.agent, '_global')
JOIN facts f ON f.fact = a.fact AND f.scope = a.scope AND upper_inf(f.recorded) AND f.valid @> %(now)s::timestamptz
LEFT JOIN standing s ON s.scope = a.scope AND s.memory = a.fact
LEFT JOIN delta_payloads p ON p.delta = a.fact
WHERE
    g.scope = %(target)s
    AND NOT EXISTS (SELECT FROM delta_origins o WHERE o.delta = a.fact AND o.relation = 'promoted_from')
ORDER BY a.scope, a.fact
