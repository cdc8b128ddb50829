-- Creates intents for what an applied window makes possible: the next window, if it may be applied, and planning that
-- was delayed for lack of room.
--
-- Served by model_windows_waiting and intents_one_pending (see slowwave_ask); consolidate is locked before plan.
WITH held AS MATERIALIZED (
    SELECT intent, target, upto FROM intents
    WHERE scope = %(scope)s AND job = 'plan' AND pack = %(pack)s AND state = 'pending' AND hastened
),
ready AS MATERIALIZED (
    SELECT 1 FROM model_windows w
    JOIN watermarks m USING (scope, pack)
    WHERE
        w.scope = %(scope)s AND w.pack = %(pack)s AND w.state = 'waiting'
        AND (w.chosen IS NOT NULL OR m.position + 1 BETWEEN w.lo AND w.hi) AND slowwave_complete(w.model_window)
    LIMIT 1
)
SELECT asked.job
FROM (
    SELECT
        array_agg(ROW(
            %(scope)s::uuid, %(tenant)s::text, wanted.job, %(pack)s::text, wanted.target, slowwave_now(), true,
            wanted.upto, NULL, NULL
        )::slowwave_work) AS work
    FROM (
        SELECT 'consolidate'::text AS job, 0::bigint AS target, NULL::bigint AS upto FROM ready
        UNION ALL
        SELECT 'plan', target, upto FROM held
    ) AS wanted
) AS wakes
CROSS JOIN LATERAL slowwave_ask(wakes.work) AS asked
