-- Marks windows to be planned again that still wait for replies and were planned by another edition of the pack.
--
-- One scan of model_windows_waiting, when a pack has changed. Complete windows are read without a new plan.
WITH marked AS (
    UPDATE model_windows SET stale = true
    WHERE
        pack = %(pack)s AND state = 'waiting' AND edition <> %(edition)s AND NOT stale
        AND NOT slowwave_complete(model_window)
    RETURNING scope, tenant, pack
)
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            scope, tenant, 'plan', pack, 0, slowwave_now(), true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM (SELECT DISTINCT scope, tenant, pack FROM marked) AS one
) AS outdated
CROSS JOIN LATERAL slowwave_ask(outdated.work) AS asked
