-- Takes a scope's lease and its running intents from their holder, so that the running work cannot commit.
--
-- Served by scope_leases_pkey and intents_one_running.
WITH freed AS (
    UPDATE scope_leases
    SET
        fence = fence + 1,
        until = NULL
    WHERE scope = %(scope)s
    RETURNING scope
)

UPDATE intents AS i
SET fence = NULL
FROM freed
WHERE
    i.scope = freed.scope
    AND i.state = 'running'
