-- The scopes of an order, each with the run that carried it out there and the beliefs that it was unsure about.
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
