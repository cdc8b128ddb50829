-- Creates intents to consolidate those of these windows that have all replies, even if an earlier window still waits.
--
-- Served by model_windows_pkey and intents_one_pending (see slowwave_ask). The caller has locked the windows in an
-- earlier statement, so this statement sees the writes of transactions that closed other requests of the windows.
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            scope, tenant, 'consolidate', pack, 0, slowwave_now(), true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM (
        SELECT DISTINCT scope, tenant, pack FROM model_windows
        WHERE model_window = ANY(%(windows)s::bigint[]) AND state = 'waiting' AND slowwave_complete(model_window)
    ) AS complete
) AS gathered
CROSS JOIN LATERAL slowwave_ask(gathered.work) AS asked
