-- Fires a standing job for the slice of a scope, if a memory there is due to be swept; returns the slice.
--
-- Served by standing_sweep_due, one lookup, then by firings_pkey and intents_one_pending; acts as app. The firing names
-- the scope, as an agent's process may write firings of its own scopes only.
WITH here AS MATERIALIZED (
    SELECT slowwave_slice_id(slowwave_tenant(), %(job)s::text, n.slice) AS place, n.slice
    FROM (
        SELECT (get_byte(uuid_send(%(scope)s::uuid), 0) >> 4)::smallint AS slice, slowwave_now() AS now
    ) AS n
    WHERE
        EXISTS (
            SELECT FROM standing AS s
            WHERE s.tenant = slowwave_tenant() AND s.slice = n.slice AND s.sweep_due <= n.now
        )
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT 'manual', %(scope)s::uuid, %(key)s::text, slowwave_tenant(), %(by)s::text FROM here
    ON CONFLICT DO NOTHING
),
made AS (
    INSERT INTO slices (slice_id, tenant, job, slice) SELECT place, slowwave_tenant(), %(job)s::text, slice FROM here
    ON CONFLICT DO NOTHING
),
leased AS (
    INSERT INTO scope_leases (scope, tenant) SELECT place, slowwave_tenant() FROM here
    ON CONFLICT DO NOTHING
)
SELECT here.place
FROM here
CROSS JOIN (
    SELECT count(asked.scope) AS asked
    FROM (
        SELECT
            array_agg(ROW(
                place, slowwave_tenant(), %(job)s::text, %(pack)s::text, 0, slowwave_now(), true, NULL, NULL, NULL
            )::slowwave_work) AS work
        FROM here
    ) AS fires
    CROSS JOIN LATERAL slowwave_ask(fires.work) AS asked
) AS done
WHERE done.asked >= 0
