-- Makes running intents due whose last run began in the future: a wrong clock has delayed them.
--
-- Served by intents_one_running and runs_of_scope.
UPDATE intents AS i
SET due = slowwave_now()
WHERE
    i.state = 'running'
    AND i.due > (SELECT slowwave_now())
    AND (
        SELECT r.started
        FROM runs r
        WHERE r.scope = i.scope AND r.intent = i.intent
        ORDER BY r.run DESC
        LIMIT 1
    ) > (SELECT slowwave_now())
