-- Inserts a goal, once, if the goal has no parent or its parent is a goal of the same scope. Otherwise returns no row.
--
-- Served by goals_pkey.
INSERT INTO goals (scope, goal, tenant, parent, description, priority, deadline, space, embedding)
SELECT
    %(scope)s, %(goal)s, slowwave_tenant(), %(parent)s, %(description)s, %(priority)s, %(deadline)s, %(space)s,
    %(embedding)b
WHERE %(parent)s::uuid IS NULL OR EXISTS (SELECT FROM goals WHERE scope = %(scope)s AND goal = %(parent)s)
ON CONFLICT DO NOTHING
RETURNING goal
