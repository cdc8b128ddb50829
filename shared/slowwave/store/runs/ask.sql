-- Creates intents for other jobs on a scope: due at once, or when a schedule of the job fires next, its age included.
--
-- Served by packs_pkey and intents_one_pending. Does nothing for a job that is not installed. Jobs differ.
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            %(scope)s::uuid, %(tenant)s::text, p.job, p.pack, %(target)s::bigint,
            CASE
                WHEN meant.at_once THEN slowwave_now()
                ELSE coalesce(slowwave_now() + make_interval(secs => wait.age), 'infinity')
            END,
            meant.at_once, NULL, slowwave_now() + make_interval(secs => wait.idle), NULL
        )::slowwave_work) AS work
    FROM unnest(%(jobs)s::text[], %(packs)s::text[], %(at_once)s::boolean[]) AS meant (job, pack, at_once)
    JOIN packs p ON p.pack = meant.pack AND p.job = meant.job AND p.active
    CROSS JOIN
        LATERAL (
            SELECT
                min(s.seconds) FILTER (WHERE s.kind = 'age') AS age,
                min(s.seconds) FILTER (WHERE s.kind = 'idle') AS idle
            FROM schedules s
            WHERE s.pack = p.pack AND s.job = p.job AND NOT s.paused
        ) AS wait
) AS other
CROSS JOIN LATERAL slowwave_ask(other.work) AS asked
