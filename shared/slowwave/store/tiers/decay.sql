-- The strength of memories of a slice, and the next due time of each, by the formula of `slowwave.core.decay`.
--
-- Reads the memories due after a cursor, oldest first, without those under a legal hold or locked by others (served by
-- standing_decay_due), or all memories (served by the beginning of the same index). If it may write, it updates due
-- times that differ. Returns the number of memories, the number of changed times, those that fell below `forget_below`,
-- and the last memory. Returns each strength too, if nothing is written.
--
-- A fact below `forget_below` stays due until its belief is withdrawn; any other memory is checked once. Rows are found
-- again by ctid: a row changed meanwhile got its due time from that change. Each step ends with OFFSET 0: the planner
-- would otherwise repeat its formulas wherever the next step uses them. Seconds come from date_part: extract returns a
-- numeric, which would cost more than the whole rest of the statement.
WITH rules AS MATERIALIZED (
    SELECT rule.*
    FROM jsonb_to_recordset(%(rules)s::jsonb) AS rule (
        number integer,
        kind text,
        tier text,
        source text,
        anchor text,
        half_life_seconds float8,
        gate float8,
        shift float8,
        per_access float8, per_importance float8, stretch float8, floor float8, familiarity float8, freshness float8,
        forget_below float8
    )
),
due AS MATERIALIZED (
    SELECT
        s.ctid AS row_id, s.scope, s.memory, s.kind, s.tier, s.source, s.base, s.created, s.last_access, s.reinforced,
        s.access_count, s.pinned, s.decay_due
    FROM standing s
    WHERE
        NOT %(everything)s AND s.tenant = slowwave_tenant() AND s.slice = %(slice)s AND s.decay_due <= %(now)s
        AND (s.decay_due, s.scope, s.memory) > (%(due)s, %(scope)s, %(memory)s)
        AND NOT EXISTS (SELECT FROM slowwave_legal_holds(s.tenant, s.scope))
    ORDER BY s.decay_due, s.scope, s.memory
    LIMIT %(most)s
    FOR UPDATE OF s SKIP LOCKED
),
memories AS MATERIALIZED (
    SELECT * FROM due
    UNION ALL
    SELECT
        s.ctid AS row_id, s.scope, s.memory, s.kind, s.tier, s.source, s.base, s.created, s.last_access, s.reinforced,
        s.access_count, s.pinned, s.decay_due
    FROM standing s
    WHERE %(everything)s AND s.tenant = slowwave_tenant() AND s.slice = %(slice)s
),
ruled AS MATERIALIZED (
    SELECT alike.kind AS of_kind, alike.tier AS of_tier, alike.source AS of_source, r.*
    FROM (SELECT DISTINCT kind, tier, source FROM memories) AS alike CROSS JOIN LATERAL (
        SELECT * FROM rules
        WHERE
            (rules.kind IS NULL OR rules.kind = alike.kind) AND (rules.tier IS NULL OR rules.tier = alike.tier)
            AND (rules.source IS NULL OR rules.source = alike.source)
        ORDER BY rules.number
        LIMIT 1
    ) AS r
),
anchored AS (
    SELECT
        m.row_id, m.scope, m.memory, m.kind, m.base, m.decay_due AS was_due,
        r.number, r.gate, r.shift, r.floor, r.freshness, r.forget_below,
        coalesce(
            CASE r.anchor WHEN 'last_access' THEN m.last_access WHEN 'reinforced' THEN m.reinforced END,
            m.created
        ) AS anchor,
        coalesce(m.last_access, m.created) AS used,
        r.half_life_seconds * least(
            (1 + r.per_access * least(m.access_count, 1000) + r.per_importance * m.base)
            * power(r.stretch, least(m.access_count, 1000)), 1e9
        ) AS half_life,
        r.floor + r.familiarity * ln(1 + m.access_count::float8) AS lasting,
        greatest(0, m.base - r.floor) AS fading
    FROM memories m
    LEFT JOIN ruled r ON NOT m.pinned AND r.of_kind = m.kind AND r.of_tier = m.tier AND r.of_source = m.source
    OFFSET 0
),
aged AS (
    SELECT
        a.*, greatest(0, date_part('epoch', %(now)s - a.anchor)) AS age,
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
    SELECT
        g.row_id, g.scope, g.memory, g.kind, g.was_due, g.forget_below, least(1, greatest(0, CASE
            WHEN g.number IS NULL THEN g.base
            ELSE
                g.lasting + g.freshness * exp(-least(g.idle_days, 500))
                + g.fading * power(2, -least(
                    CASE WHEN g.age < g.gate THEN 0 ELSE g.age - g.shift END / g.half_life, 1000
                ))
        END)) AS strength,
        CASE
            WHEN g.falls < 3155760000 THEN
                g.anchor + make_interval(secs => CASE
                    WHEN g.falls < 0 THEN 0 WHEN g.falls < g.gate THEN g.gate ELSE g.falls + 1e-6
                END)
        END AS falls_at
    FROM aged g
    OFFSET 0
),
told AS MATERIALIZED (
    SELECT
        f.row_id, f.scope, f.memory, f.kind, f.was_due, coalesce(f.strength < f.forget_below, false) AS fallen,
        CASE WHEN f.strength < 1e-30 THEN 0 ELSE f.strength END AS strength,
        CASE
            WHEN f.strength < f.forget_below THEN CASE WHEN f.kind = 'semantic' THEN least(f.was_due, %(now)s) END
            WHEN f.falls_at <= %(now)s THEN %(now)s + interval '1 hour'
            ELSE f.falls_at
        END AS due
    FROM faded f
),
written AS (
    UPDATE standing s SET decay_due = t.due
    FROM told t
    WHERE %(write)s AND s.ctid = t.row_id AND t.was_due IS DISTINCT FROM t.due
    RETURNING s.scope
)
SELECT
    (SELECT count(*) FROM told) AS looked,
    (SELECT count(*) FROM written) AS refreshed,
    coalesce(array_agg(scope), '{}') AS scopes,
    coalesce(array_agg(memory), '{}') AS memories,
    coalesce(array_agg(kind), '{}') AS kinds,
    (SELECT row_to_json(l) FROM (
        SELECT was_due AS due, scope, memory FROM told
        WHERE NOT %(everything)s
        ORDER BY was_due DESC, scope DESC, memory DESC
        LIMIT 1
    ) AS l) AS last,
    (SELECT json_object_agg(memory, strength) FROM told WHERE NOT %(write)s) AS strengths
FROM (SELECT scope, memory, kind FROM told WHERE fallen AND NOT %(everything)s ORDER BY scope, memory) AS fallen
