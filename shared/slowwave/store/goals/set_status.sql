-- Sets the status and the reason of an open goal. Returns the goal if the goal was open.
--
-- Served by goals_pkey.
UPDATE goals
SET
    status = %(status)s,
    result = %(result)s,
    blocked_by = %(blocked_by)s,
    completed = CASE WHEN %(status)s IN ('completed', 'abandoned') THEN slowwave_now() END
WHERE scope = %(scope)s AND goal = %(goal)s AND status IN ('active', 'blocked')
RETURNING goal
