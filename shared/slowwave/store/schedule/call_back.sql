-- Makes work due that waits because the clock was set back: requested work that is due in the future, and running
-- intents whose last run began in the future.
--
-- Served by intents_hastened, intents_one_running, runs_of_scope and intents_pkey. Planning that waits for replies has
-- no due time.
UPDATE intents
SET due = slowwave_now()
WHERE intent IN (
    SELECT i.intent FROM intents i
    WHERE i.state = 'pending' AND i.hastened AND i.due > (SELECT slowwave_now()) AND i.due < 'infinity'
    UNION ALL
    SELECT i.intent FROM intents i
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
)
