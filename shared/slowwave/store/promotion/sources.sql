-- The number of these versions that are currently recorded and valid, locked until the transaction ends.
--
-- Served by facts_pkey. Whoever closes one waits for this transaction, or this waits and no longer counts it.
SELECT count(*)
FROM (
    SELECT version FROM facts
    WHERE version = ANY(%(versions)s::bigint[]) AND upper_inf(recorded) AND valid @> slowwave_now()
    ORDER BY version
    FOR SHARE
) AS still
