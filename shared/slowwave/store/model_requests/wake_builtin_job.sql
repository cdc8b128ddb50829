-- Creates an intent for the built-in job that waits for a request, if such a job waits.
--
-- Served by model_requests_pkey, packs_pkey and intents_one_pending (see slowwave_ask).
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            r.scope, r.tenant, p.job, p.pack, 0, slowwave_now(), true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM model_requests AS r
    JOIN packs AS p ON p.pack = r.pack AND p.active
    WHERE r.request = %(request)s AND r.pack = ANY(%(packs)s::text[])
) AS closed
CROSS JOIN LATERAL slowwave_ask(closed.work) AS asked
