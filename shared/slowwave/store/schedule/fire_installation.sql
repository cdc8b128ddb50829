-- Fires windows of an installation job's schedule: asks for the one place where it is done.
--
-- Served by firings_pkey and intents_one_pending.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
proof AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT %(schedule)s, %(system_scope)s, key, %(system_tenant)s, %(by)s
    FROM unnest(%(keys)s::text[]) AS key
    ORDER BY key
    ON CONFLICT DO NOTHING
    RETURNING at_window
),
fires AS MATERIALIZED (SELECT count(*) > 0 AS now FROM proof WHERE at_window = %(last)s),
due AS MATERIALIZED (
    SELECT md5(%(system_tenant)s || '/' || %(job)s || '/0')::uuid AS place, %(system_tenant)s AS tenant, 0 AS slice
    FROM fires
    WHERE fires.now
),
made AS (
    INSERT INTO places (place, tenant, job, slice) SELECT place, tenant, %(job)s, slice FROM due
    ORDER BY place
    ON CONFLICT DO NOTHING
),
leased AS (
    INSERT INTO scope_leases (scope, tenant) SELECT place, tenant FROM due ORDER BY place ON CONFLICT DO NOTHING
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT %(schedule)s, place, %(last)s, tenant, %(by)s FROM due
    ON CONFLICT DO NOTHING
),
asked AS (
    INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened)
    SELECT place, tenant, %(job)s, %(pack)s, 0, clock.now, true FROM due, clock
    ORDER BY place
    ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
    SET due = least(i.due, excluded.due), hastened = true
    RETURNING i.scope
)
SELECT (SELECT coalesce(array_agg(at_window ORDER BY at_window), '{}') FROM proof) AS keys,
    (SELECT count(*) FROM asked) AS scopes
