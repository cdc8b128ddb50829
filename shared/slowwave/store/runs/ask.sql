-- Creates an intent for another job on a scope: due at once, or when a schedule of that job fires next, including the
-- maximum age.
--
-- Served by packs_pkey and intents_one_pending. Does nothing for a job that is not installed.
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            %(scope)s::uuid, %(tenant)s::text, p.job, p.pack, %(target)s::bigint,
            CASE
                WHEN %(at_once)s THEN slowwave_now()
                ELSE coalesce(slowwave_now() + make_interval(secs => wait.age), 'infinity')
            END,
            %(at_once)s, NULL, slowwave_now() + make_interval(secs => wait.idle), NULL
        )::slowwave_work) AS work
    FROM packs p
    CROSS JOIN
        LATERAL (
            SELECT
                min(s.seconds) FILTER (WHERE s.kind = 'age') AS age,
                min(s.seconds) FILTER (WHERE s.kind = 'idle') AS idle
            FROM schedules s
            WHERE s.pack = p.pack AND s.job = p.job AND NOT s.paused
        ) AS wait
    WHERE p.pack = %(pack)s AND p.job = %(job)s AND p.active
) AS other
CROSS JOIN LATERAL slowwave_ask(other.work) AS asked
