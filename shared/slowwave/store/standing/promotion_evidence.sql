-- Queues facts of a project channel for promotion: they are new, or were said again.
--
-- Served by scope_heads_pkey, which leaves out `_global`, and by standing_pkey, a look a fact: OFFSET 0 makes it so, or
-- a planner without statistics reads the whole tenant. The caller has made or locked these rows: they are found again
-- by where they lie.
UPDATE standing SET promote_due = slowwave_now()
WHERE
    EXISTS (SELECT FROM scope_heads h WHERE h.scope = %(scope)s AND h.channel <> '_global')
    AND ctid = ANY(ARRAY(
        SELECT named.row_id
        FROM unnest(%(facts)s::uuid[]) AS told (memory)
        CROSS JOIN
            LATERAL (
                SELECT ctid AS row_id FROM standing WHERE scope = %(scope)s AND memory = told.memory OFFSET 0
            ) AS named
    ))
