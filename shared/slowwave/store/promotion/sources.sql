-- The number of these versions that are believed and valid now. The versions are locked until the transaction ends.
--
-- Served by facts_pkey. A transaction that closes a version waits for this transaction, or else this transaction waits
-- and does not count the closed version.
SELECT count(*)
FROM (
    SELECT version FROM facts
    WHERE version = ANY(%(versions)s::bigint[]) AND upper_inf(recorded) AND valid @> slowwave_now()
    ORDER BY version
    FOR SHARE
) AS still
