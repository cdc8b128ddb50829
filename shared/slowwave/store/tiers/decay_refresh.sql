-- What has fallen below what it is forgotten at, and when the rest is due again, written where that differs.
--
-- Follows `decay_form`. Gives how many there were, of how many the time has changed, what has fallen, and the last in
-- the list. A fact that has fallen stays due until its belief is withdrawn; anything else is looked at once. Rows are
-- found again by where they lie: one that was changed meanwhile had its time written by who changed it.
, written AS (
    UPDATE standing s SET decay_due = t.due
    FROM told t
    WHERE s.ctid = t.place AND t.was_due IS DISTINCT FROM t.due
    RETURNING s.scope
)
SELECT (SELECT count(*) FROM told) AS looked, (SELECT count(*) FROM written) AS refreshed,
    coalesce(array_agg(scope), '{}') AS scopes, coalesce(array_agg(memory), '{}') AS memories,
    coalesce(array_agg(kind), '{}') AS kinds,
    (SELECT row_to_json(l) FROM (
        SELECT was_due AS due, scope, memory FROM told ORDER BY was_due DESC, scope DESC, memory DESC LIMIT 1
    ) AS l) AS last
FROM (SELECT scope, memory, kind FROM told WHERE fallen ORDER BY scope, memory) AS fallen
