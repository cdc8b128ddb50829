-- The positions at which a model ended a fact that was not held when the model was asked, since a given time. A limited
-- number of refused claims is searched.
--
-- Served by model_rejected_scope, backwards.
SELECT DISTINCT position
FROM (
    SELECT position, reason, at, pack
    FROM model_rejected
    WHERE scope = %(scope)s
    ORDER BY rejected DESC
    LIMIT %(most)s
) AS late
WHERE
    at > %(since)s::timestamptz AND reason = ANY(%(reasons)s::text[]) AND NOT starts_with(pack, '_')
ORDER BY position
