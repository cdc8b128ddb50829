-- When memories are due again, written where that differs; gives how many there were, and of how many it changed.
--
-- Follows `decay_form`, as `decay_refresh` does.
, written AS (
    UPDATE standing s SET decay_due = t.due
    FROM told t
    WHERE s.ctid = t.place AND t.was_due IS DISTINCT FROM t.due
    RETURNING s.scope
)
SELECT (SELECT count(*) FROM told) AS looked, (SELECT count(*) FROM written) AS refreshed
