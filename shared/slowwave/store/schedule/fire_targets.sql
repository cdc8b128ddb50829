-- Fires windows of the promoting schedule: asks for the scopes that have something to take over or to give back.
--
-- Served by standing_promote_due and promotions_due: by what has changed, not by what is stored. The scope of all
-- channels is born together with any channel's.
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
    SELECT DISTINCT g.scope AS place, g.tenant
    FROM standing s
    JOIN scope_heads h USING (scope)
    JOIN scope_heads g ON (g.tenant, g.user_id, g.agent, g.channel) = (h.tenant, h.user_id, h.agent, '_global'),
        clock, fires
    WHERE fires.now AND s.promote_due <= clock.now AND h.channel <> '_global'
    UNION
    SELECT p.target, p.tenant FROM promotions p, clock, fires WHERE fires.now AND p.due <= clock.now
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
