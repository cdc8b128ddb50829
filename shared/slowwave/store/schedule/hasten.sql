-- Fires a window for every scope with waiting work, and makes that work due. Returns the number of scopes.
--
-- Served by intents_waiting. Intents are locked in the same order as by pushes; work that was made due before is
-- skipped, unless only a part of it was. All work gets the same due time, and no work is delayed.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
waiting AS MATERIALIZED (
    SELECT i.intent, i.scope, i.tenant
    FROM intents i
    WHERE i.pack = %(pack)s AND i.job = %(job)s AND i.state = 'pending' AND (NOT i.hastened OR i.upto IS NOT NULL)
    ORDER BY i.scope, i.job, i.pack
    FOR UPDATE
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT %(schedule)s, scope, %(last)s, tenant, %(by)s FROM waiting
    ON CONFLICT DO NOTHING
),
hastened AS (
    UPDATE intents i SET due = least(i.due, clock.now), hastened = true, upto = NULL
    FROM waiting, clock
    WHERE i.intent = waiting.intent
)
SELECT count(*) AS scopes FROM waiting
