-- The latest positions that packs have read since a given time without learning a fact. A limited number of a scope's
-- last runs is searched.
--
-- Served by runs_of_scope, backwards, and deltas_scope_recorded_key.
SELECT DISTINCT position
FROM (
    SELECT job, pack, outcome, finished, lo, hi
    FROM runs
    WHERE scope = %(scope)s
    ORDER BY run DESC
    LIMIT %(runs)s
) AS late
CROSS JOIN generate_series(late.lo, late.hi) AS position
WHERE
    late.job = 'consolidate' AND late.outcome = 'ok' AND late.finished > %(since)s::timestamptz
    AND NOT starts_with(late.pack, '_')
    AND position NOT IN (
        SELECT d.position
        FROM deltas AS d
        WHERE
            d.scope = %(scope)s AND d.recorded > %(since)s::timestamptz AND d.kind IN ('add', 'update', 'delete')
            AND NOT starts_with(d.pack, '_')
    )
ORDER BY position DESC
LIMIT %(most)s
