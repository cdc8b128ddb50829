-- Inserts the firings of count schedules that these pushes cause, and the intents for the work. Returns the work that
-- is due at once.
--
-- Served by intents_one_pending (see slowwave_ask). Every pack that prepares or consolidates gets an intent: due now if
-- a count came due, else after the pack's maximum age. Preparation is due a second ago, so it goes before other new
-- work: recall waits for it, and it is short.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
grown AS MATERIALIZED (
    SELECT * FROM unnest(%(scopes)s::uuid[], %(olds)s::bigint[], %(news)s::bigint[]) AS grown (scope, old, new)
),
counted AS MATERIALIZED (
    SELECT g.scope, s.schedule, s.pack, m AS position
    FROM grown g
    CROSS JOIN schedules s
    CROSS JOIN LATERAL generate_series((g.old / s.every + 1) * s.every, g.new, s.every) AS m
    WHERE s.kind = 'count' AND NOT s.paused
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT schedule, scope, position::text, slowwave_tenant(), 'push' FROM counted
),
asked AS (
    SELECT
        g.scope, p.job, p.pack, g.new AS target,
        p.job = 'prepare' OR EXISTS (SELECT FROM counted c WHERE c.scope = g.scope AND c.pack = p.pack) AS at_once,
        (SELECT min(s.seconds) FROM schedules s WHERE s.pack = p.pack AND s.kind = 'age' AND NOT s.paused) AS age,
        (SELECT min(s.seconds) FROM schedules s WHERE s.pack = p.pack AND s.kind = 'idle' AND NOT s.paused) AS idle
    FROM grown g CROSS JOIN packs p
    WHERE p.active AND p.job = ANY(%(pushed)s)
)
SELECT due.scope, due.job, due.hastened
FROM (
    SELECT
        array_agg(ROW(
            scope, slowwave_tenant(), job, pack, target,
            CASE
                WHEN job = 'prepare' THEN clock.now - make_interval(secs => 1)
                WHEN at_once THEN clock.now
                ELSE coalesce(clock.now + make_interval(secs => age), 'infinity')
            END,
            at_once,
            NULL, clock.now + make_interval(secs => idle), NULL
        )::slowwave_work) AS work
    FROM asked, clock
) AS pushed
CROSS JOIN LATERAL slowwave_ask(pushed.work) AS due
