-- Fires a window for slices or scopes with work for a job, and makes the work due at once. Returns the number of fired
-- slices or scopes.
--
-- Served by firings_pkey and intents_one_pending. A slice gets a row and a lease of its own at its first firing.
WITH due AS MATERIALIZED (
    SELECT scope, tenant, slice
    FROM unnest(%(scopes)s::uuid[], %(tenants)s::text[], %(slices)s::smallint[]) AS due (scope, tenant, slice)
),
created AS (
    INSERT INTO slices (slice_id, tenant, job, slice)
    SELECT scope, tenant, %(job)s, slice FROM due WHERE slice IS NOT NULL
    ORDER BY scope
    ON CONFLICT DO NOTHING
),
leased AS (
    INSERT INTO scope_leases (scope, tenant)
    SELECT scope, tenant FROM due WHERE slice IS NOT NULL
    ORDER BY scope
    ON CONFLICT DO NOTHING
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT %(schedule)s, scope, %(last)s, tenant, %(by)s FROM due
    ORDER BY scope
    ON CONFLICT DO NOTHING
)
SELECT count(asked.scope) AS scopes
FROM (
    SELECT
        array_agg(ROW(
            scope, tenant, %(job)s::text, %(pack)s::text, 0, slowwave_now(), true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM due
) AS fires
CROSS JOIN LATERAL slowwave_ask(fires.work) AS asked
