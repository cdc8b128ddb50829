-- Fires the maximum age for work that has waited as long, and makes this work due. Returns the work that fired.
--
-- Served by intents_due. The clock is read once, in a subquery, so that the index scan can stop at it; a range with two
-- ends tells the planner that few are due. Intents locked by a worker or another scheduler are skipped: a claim writes
-- this firing too (see `work_queue/fire_age`).
WITH aged AS MATERIALIZED (
    SELECT i.intent, i.scope, i.tenant, i.pack, s.schedule
    FROM intents i
    JOIN schedules s ON s.pack = i.pack AND s.job = i.job AND s.kind = 'age' AND NOT s.paused
    WHERE i.due > '-infinity' AND i.due <= (SELECT slowwave_now()) AND i.state = 'pending' AND NOT i.hastened
    ORDER BY i.due, i.intent
    LIMIT %(most)s
    FOR UPDATE OF i SKIP LOCKED
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT a.schedule, a.scope, (w.planned + 1)::text, a.tenant, %(by)s
    FROM aged a
    JOIN watermarks w USING (scope, pack)
    ORDER BY a.schedule, a.scope
    ON CONFLICT DO NOTHING
    RETURNING schedule, at_window
),
hastened AS (
    UPDATE intents SET hastened = true WHERE intent IN (SELECT intent FROM aged)
)
SELECT schedule, count(*) AS scopes FROM fired GROUP BY schedule ORDER BY schedule
