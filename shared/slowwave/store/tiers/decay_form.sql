-- The strength of memories at a time, and when each is due again, by the closed form of `slowwave.core.decay`.
--
-- Which memories says `decay_due` or `decay_all`, put in the place kept for it; what is done with `told` follows. Each
-- step ends with OFFSET 0, or the planner would write its formulas into every place of the next that names them.
-- Seconds come from date_part: what extract gives is a numeric, and costs more than all the rest.
WITH rules AS MATERIALIZED (
    SELECT rule.*
    FROM ROWS FROM (jsonb_to_recordset(%(rules)s::jsonb) AS (
        kind text, tier text, source text, anchor text, half_life_seconds float8, gate float8, shift float8,
        per_access float8, per_importance float8, stretch float8, floor float8, familiarity float8, freshness float8,
        forget_below float8)) WITH ORDINALITY AS rule (kind, tier, source, anchor, half_life, gate, shift, per_access,
        per_importance, stretch, floor, familiarity, freshness, forget_below, number)
),
memories AS MATERIALIZED (/* memories */),
ruled AS MATERIALIZED (
    SELECT alike.kind AS of_kind, alike.tier AS of_tier, alike.source AS of_source, r.*
    FROM (SELECT DISTINCT kind, tier, source FROM memories) AS alike CROSS JOIN LATERAL (
        SELECT * FROM rules
        WHERE (rules.kind IS NULL OR rules.kind = alike.kind) AND (rules.tier IS NULL OR rules.tier = alike.tier)
            AND (rules.source IS NULL OR rules.source = alike.source)
        ORDER BY rules.number
        LIMIT 1
    ) AS r
),
anchored AS (
    SELECT m.place, m.scope, m.memory, m.kind, m.base, m.decay_due AS was_due,
        r.number, r.gate, r.shift, r.floor, r.freshness, r.forget_below,
        coalesce(CASE r.anchor WHEN 'last_access' THEN m.last_access WHEN 'reinforced' THEN m.reinforced END,
            m.created) AS anchor,
        coalesce(m.last_access, m.created) AS used,
        r.half_life * least(
            (1 + r.per_access * least(m.access_count, 1000) + r.per_importance * m.base)
                * power(r.stretch, least(m.access_count, 1000)), 1e9) AS half_life,
        r.floor + r.familiarity * ln(1 + m.access_count::float8) AS lasting,
        greatest(0, m.base - r.floor) AS fading
    FROM memories m
    LEFT JOIN ruled r ON NOT m.pinned AND r.of_kind = m.kind AND r.of_tier = m.tier AND r.of_source = m.source
    OFFSET 0
),
aged AS (
    SELECT a.*, greatest(0, date_part('epoch', %(now)s - a.anchor)) AS age,
        greatest(0, date_part('epoch', %(now)s - a.used)) / 86400 AS idle_days,
        CASE
            WHEN a.number IS NULL OR a.forget_below IS NULL OR a.forget_below <= 0 THEN NULL
            WHEN a.lasting + a.fading < a.forget_below THEN -1
            WHEN a.lasting >= a.forget_below THEN NULL
            ELSE a.half_life * ln(a.fading / (a.forget_below - a.lasting)) / ln(2::float8) + a.shift
        END AS falls
    FROM anchored a
    OFFSET 0
),
faded AS (
    SELECT g.place, g.scope, g.memory, g.kind, g.was_due, g.forget_below, least(1, greatest(0, CASE
            WHEN g.number IS NULL THEN g.base
            ELSE g.lasting + g.freshness * exp(-least(g.idle_days, 500))
                + g.fading * power(2, -least(
                    CASE WHEN g.age < g.gate THEN 0 ELSE g.age - g.shift END / g.half_life, 1000))
        END)) AS strength,
        CASE WHEN g.falls < 3155760000 THEN
            g.anchor + make_interval(secs => CASE
                WHEN g.falls < 0 THEN 0 WHEN g.falls < g.gate THEN g.gate ELSE g.falls + 1e-6 END)
        END AS falls_at
    FROM aged g
    OFFSET 0
),
told AS MATERIALIZED (
    SELECT f.place, f.scope, f.memory, f.kind, f.was_due, coalesce(f.strength < f.forget_below, false) AS fallen,
        CASE WHEN f.strength < 1e-30 THEN 0 ELSE f.strength END AS strength,
        CASE
            WHEN f.strength < f.forget_below THEN CASE WHEN f.kind = 'semantic' THEN least(f.was_due, %(now)s) END
            WHEN f.falls_at <= %(now)s THEN %(now)s + interval '1 hour'
            ELSE f.falls_at
        END AS due
    FROM faded f
)
