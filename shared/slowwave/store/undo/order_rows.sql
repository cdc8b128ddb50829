-- The scopes of an order, each with the run that carried out the order in the scope, and the number of beliefs that
-- remained unsure.
--
-- Served by undos_of_order, scope_heads_pkey and runs_pkey.
SELECT
    o.scope, h.tenant, h.user_id, h.agent, h.channel, o.run, o.lifted,
    coalesce((r.counts ->> 'unsure')::int, 0) AS unsure
FROM undos o
JOIN scope_heads h USING (scope)
LEFT JOIN runs r ON r.run = o.run
WHERE o.undo = %(undo)s
ORDER BY o.scope
