-- Marks windows to be planned again, and creates the intents.
--
-- Served by model_windows_pkey and intents_one_pending (see slowwave_ask).
WITH marked AS (
    UPDATE model_windows SET stale = true WHERE model_window = ANY(%(windows)s::bigint[]) AND state = 'waiting'
    RETURNING scope, tenant, pack
)
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            scope, tenant, 'plan', pack, 0, slowwave_now(), true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM (SELECT DISTINCT scope, tenant, pack FROM marked) AS one
) AS stale
CROSS JOIN LATERAL slowwave_ask(stale.work) AS asked
