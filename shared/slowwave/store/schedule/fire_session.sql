-- Fires every session-end schedule for one scope and session, and makes its work due at once.
--
-- Served by firings_pkey and intents_one_pending; acts as app. Intents are locked in the same order as by pushes.
WITH fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT s.schedule, h.scope, %(session)s || '@' || coalesce(%(position)s, h.head), h.tenant, %(by)s
    FROM schedules s JOIN packs p USING (pack), scope_heads h
    WHERE s.kind = 'session_end' AND NOT s.paused AND p.active AND h.scope = %(scope)s AND h.head > 0
    ON CONFLICT DO NOTHING
    RETURNING schedule
)
SELECT asked.scope, asked.job, asked.since
FROM (
    SELECT
        array_agg(ROW(
            h.scope, h.tenant, s.job, s.pack, h.head, slowwave_now(), true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM fired JOIN schedules s USING (schedule) JOIN scope_heads h ON h.scope = %(scope)s
) AS fires
CROSS JOIN LATERAL slowwave_ask(fires.work) AS asked
