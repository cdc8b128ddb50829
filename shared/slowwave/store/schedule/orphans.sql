-- Creates missing intents for episodes after a watermark. Intents are missing only after a defect.
--
-- One scan of watermarks against scope_heads and intents: run this statement seldom. The three tables are read in one
-- snapshot, and each push and each run changes them together, so there are no false positives.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
orphans AS MATERIALIZED (
    SELECT h.scope, h.tenant, p.job, p.pack, h.head, w.planned
    FROM scope_heads h
    JOIN watermarks w USING (scope)
    JOIN packs p USING (pack)
    WHERE
        h.head > w.planned AND p.active AND p.job = ANY(%(pushed)s)
        AND NOT EXISTS (SELECT FROM intents i WHERE i.scope = h.scope AND i.job = p.job AND i.pack = p.pack)
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT pack || '/orphan', scope, (planned + 1)::text, tenant, %(by)s FROM orphans
    ORDER BY pack, scope
    ON CONFLICT DO NOTHING
)
SELECT asked.scope, asked.job, asked.since
FROM (
    SELECT
        array_agg(ROW(
            scope, tenant, job, pack, head, clock.now, true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM orphans, clock
) AS fires
CROSS JOIN LATERAL slowwave_ask(fires.work) AS asked
