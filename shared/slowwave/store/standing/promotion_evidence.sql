-- Queues facts of a project channel for promotion: they are new, or were said again.
--
-- Served by scope_heads_pkey, which leaves out `_global`, and standing_pkey. Rows are locked in the order of their ids.
-- The facts are named twice, or a planner without statistics reads the whole scope.
UPDATE standing s SET promote_due = slowwave_now()
FROM (
    SELECT t.scope, t.memory
    FROM scope_heads h JOIN standing t USING (scope)
    WHERE h.scope = %(scope)s AND h.channel <> '_global' AND t.memory = ANY(%(facts)s::uuid[])
    ORDER BY t.memory
    FOR UPDATE OF t
) AS told
WHERE
    s.scope = told.scope AND s.memory = told.memory
    AND s.scope = %(scope)s AND s.memory = ANY(%(facts)s::uuid[])
