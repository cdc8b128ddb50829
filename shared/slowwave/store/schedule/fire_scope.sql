-- Fires a schedule for one scope and window, once, and makes its work up to a position due at once.
--
-- Served by firings_pkey and intents_one_pending; acts as app or as dispatch. Does nothing if the schedule is missing
-- or paused, waits for another tier, or the window has fired before. A target of NULL means everything the scope has
-- now; work beyond any other target keeps waiting. The work of a standing job lies in the scope's slice of the tenant.
WITH fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT s.schedule, %(scope)s, %(key)s, %(tenant)s, %(by)s
    FROM schedules s
    WHERE s.schedule = %(schedule)s AND NOT s.paused AND (s.rung IS NULL OR s.rung = coalesce(%(rung)s, s.rung))
    ON CONFLICT DO NOTHING
    RETURNING schedule
),
work AS MATERIALIZED (
    SELECT
        s.job, s.pack, s.job = ANY(%(standing)s::text[]) AS stands, n.slice, h.head,
        CASE
            WHEN s.job = ANY(%(standing)s::text[])
                THEN slowwave_slice_id(%(tenant)s, s.job, n.slice)
            ELSE h.scope
        END AS target
    FROM fired
    JOIN schedules s USING (schedule)
    JOIN packs p USING (pack)
    JOIN scope_heads h ON h.scope = %(scope)s
    CROSS JOIN (SELECT get_byte(uuid_send(%(scope)s::uuid), 0) >> 4 AS slice) AS n
    WHERE p.active
),
made AS (
    INSERT INTO slices (slice_id, tenant, job, slice) SELECT target, %(tenant)s, job, slice FROM work WHERE stands
    ON CONFLICT DO NOTHING
),
leased AS (
    INSERT INTO scope_leases (scope, tenant) SELECT target, %(tenant)s FROM work WHERE stands ON CONFLICT DO NOTHING
)
SELECT asked.scope, asked.job, asked.since
FROM (
    SELECT
        array_agg(ROW(
            target,
            %(tenant)s::text,
            job,
            pack,
            CASE WHEN stands THEN 0 ELSE coalesce(%(target)s, head) END,
            slowwave_now(),
            true, CASE WHEN NOT stands THEN %(target)s::bigint END, NULL, NULL
        )::slowwave_work) AS work
    FROM work
) AS fires
CROSS JOIN LATERAL slowwave_ask(fires.work) AS asked
