-- The goals of a scope in order of priority, then of age, each with its parent and the goal that blocks it.
--
-- A single goal is served by goals_pkey, the goals of a status by goals_of_status.
SELECT
    g.goal AS goal_id, h.user_id, h.agent, h.channel, g.description, g.status, g.priority, g.created AS created_at,
    g.completed AS completed_at, g.result, g.deadline, g.embedding,
    p.goal AS parent_id, p.description AS parent_description, p.status AS parent_status,
    b.goal AS blocker_id, b.description AS blocker_description, b.status AS blocker_status
FROM goals g
JOIN scope_heads h USING (scope)
LEFT JOIN goals p ON p.scope = g.scope AND p.goal = g.parent
LEFT JOIN goals b ON b.scope = g.scope AND b.goal = g.blocked_by
WHERE
    g.scope = %(scope)s
    AND (%(goal)s::uuid IS NULL OR g.goal = %(goal)s)
    AND (%(status)s::text IS NULL OR g.status = %(status)s)
ORDER BY g.priority DESC, g.created, g.goal
LIMIT %(most)s
