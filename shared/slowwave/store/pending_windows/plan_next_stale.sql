-- Creates an intent to plan if another window of the pack must be planned again.
--
-- Served by model_windows_waiting and intents_one_pending (see slowwave_ask).
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            scope, tenant, 'plan', pack, 0, slowwave_now(), true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM (
        SELECT DISTINCT scope, tenant, pack FROM model_windows
        WHERE scope = %(scope)s AND pack = %(pack)s AND state = 'waiting' AND stale
    ) AS one
) AS stale
CROSS JOIN LATERAL slowwave_ask(stale.work) AS asked
