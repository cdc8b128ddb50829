-- Fires a schedule for one scope and window, once, and asks for its work up to a position, at once.
--
-- Served by firings_pkey and intents_one_pending; acts as app or as dispatch. Nothing where the schedule is not there
-- or paused, or where the window has fired before. A target of NULL means everything the scope has now.
WITH fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT s.schedule, %(scope)s, %(key)s, %(tenant)s, %(by)s
    FROM schedules s
    WHERE s.schedule = %(schedule)s AND NOT s.paused
    ON CONFLICT DO NOTHING
    RETURNING schedule
)
INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened)
SELECT h.scope, h.tenant, s.job, s.pack, coalesce(%(target)s, h.head), slowwave_now(), true
FROM fired JOIN schedules s USING (schedule) JOIN packs p USING (pack) JOIN scope_heads h ON h.scope = %(scope)s
WHERE p.active
ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
SET target = greatest(i.target, excluded.target), due = least(i.due, excluded.due), hastened = true
RETURNING i.scope, i.job, i.due AS since
