-- Fires every schedule that waits for sessions to end, for one scope and session, and asks for its work, at once.
--
-- Served by firings_pkey and intents_one_pending; acts as app. Work is locked in the order in which pushes lock it.
WITH fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT s.schedule, h.scope, %(session)s || '@' || coalesce(%(position)s, h.head), h.tenant, %(by)s
    FROM schedules s JOIN packs p USING (pack), scope_heads h
    WHERE s.kind = 'session_end' AND NOT s.paused AND p.active AND h.scope = %(scope)s AND h.head > 0
    ON CONFLICT DO NOTHING
    RETURNING schedule
)
INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened)
SELECT h.scope, h.tenant, s.job, s.pack, h.head, slowwave_now(), true
FROM fired JOIN schedules s USING (schedule) JOIN scope_heads h ON h.scope = %(scope)s
ORDER BY h.scope, s.job, s.pack
ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
SET target = greatest(i.target, excluded.target), due = least(i.due, excluded.due), hastened = true, upto = NULL
RETURNING i.scope, i.job, i.due AS since
