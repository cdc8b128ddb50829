-- Creates missing intents: for windows that may be applied or must be planned again, and for planning that waits
-- although there is room. Intents are missing only after a defect.
--
-- One scan of model_windows_waiting, and one scan of delayed intents. Run this statement seldom.
WITH lost AS MATERIALIZED (
    SELECT w.scope, w.tenant, 'consolidate'::text AS job, w.pack
    FROM model_windows w
    JOIN watermarks m USING (scope, pack)
    JOIN packs p USING (pack)
    WHERE
        w.state = 'waiting' AND p.active AND (w.chosen IS NOT NULL OR m.position + 1 BETWEEN w.lo AND w.hi)
        AND slowwave_complete(w.model_window)
        AND NOT EXISTS (
            SELECT FROM intents i WHERE i.scope = w.scope AND i.job = 'consolidate' AND i.pack = w.pack
        )
    UNION
    SELECT w.scope, w.tenant, 'plan', w.pack
    FROM model_windows w
    JOIN packs p USING (pack)
    WHERE
        w.state = 'waiting' AND p.active AND w.stale
        AND NOT EXISTS (SELECT FROM intents i WHERE i.scope = w.scope AND i.job = 'plan' AND i.pack = w.pack)
    UNION
    SELECT i.scope, i.tenant, i.job, i.pack
    FROM intents i
    WHERE
        i.job = 'plan' AND i.state = 'pending' AND i.hastened AND i.due = 'infinity'
        AND NOT EXISTS (
            SELECT FROM model_windows w WHERE w.scope = i.scope AND w.pack = i.pack AND w.state = 'waiting'
        )
)
SELECT asked.scope, asked.job, asked.since
FROM (
    SELECT
        array_agg(ROW(
            scope, tenant, job, pack, 0, slowwave_now(), true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM lost
) AS found
CROSS JOIN LATERAL slowwave_ask(found.work) AS asked
