-- Fires idle schedules for waiting work in scopes that had no new episodes for the idle time. Returns the work that
-- fired.
--
-- Served by intents_idle, up to now. The time of the check is set when work begins to wait, and later pushes do not
-- move it: a scope with newer episodes is delayed to the time when it could be idle, so a tick checks only scopes that
-- may be idle.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
looked AS MATERIALIZED (
    SELECT i.intent, i.scope, i.tenant, s.schedule, s.seconds
    FROM schedules s
    CROSS JOIN
        LATERAL (
            SELECT intent, scope, tenant
            FROM intents
            WHERE
                pack = s.pack AND job = s.job AND state = 'pending' AND NOT hastened
                AND idle_due > '-infinity' AND idle_due <= (SELECT now FROM clock)
            ORDER BY idle_due, intent
            LIMIT %(most)s
            FOR UPDATE SKIP LOCKED
        ) AS i
    WHERE s.kind = 'idle' AND NOT s.paused
),
silent AS MATERIALIZED (
    SELECT
        l.intent, l.scope, l.tenant, l.schedule, h.head,
        h.touched + make_interval(secs => l.seconds) AS silent
    FROM looked l
    JOIN scope_heads h USING (scope)
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT schedule, scope, head::text, tenant, %(by)s
    FROM silent, clock
    WHERE silent <= clock.now
    ORDER BY schedule, scope
    ON CONFLICT DO NOTHING
    RETURNING schedule
),
moved AS (
    UPDATE intents i
    SET
        idle_due = CASE WHEN silent > clock.now THEN silent END,
        due = CASE WHEN silent > clock.now THEN i.due ELSE least(i.due, clock.now) END,
        hastened = silent <= clock.now
    FROM silent, clock
    WHERE i.intent = silent.intent
)
SELECT schedule, count(*) AS scopes FROM fired GROUP BY schedule ORDER BY schedule
