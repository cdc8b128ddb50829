-- Fires windows of a standing job's schedule: asks for the slices of each tenant in which something is due.
--
-- Served by standing_decay_due, standing_sweep_due, conversations_open, entities_due, conversations_archived and
-- holds_in_force: one look a tenant and slice, however much is stored, and none at what is held. Only where a policy drops
-- facts are theirs read. The installation's row proves that a window fired where nothing was due.
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
    SELECT md5(t.tenant || '/' || %(job)s || '/' || n.slice)::uuid AS place, t.tenant, n.slice
    FROM tenants t
    CROSS JOIN generate_series(0, %(slices)s - 1) AS n (slice)
    CROSS JOIN LATERAL (
        SELECT coalesce(%(periods)s::jsonb->'tenants'->t.tenant, %(periods)s::jsonb->'everybody') AS keep
    ) AS k, clock, fires
    WHERE fires.now AND CASE %(job)s
        WHEN 'decay' THEN EXISTS (
            SELECT FROM standing s WHERE s.tenant = t.tenant AND s.slice = n.slice AND s.decay_due <= clock.now)
        WHEN 'sweep' THEN EXISTS (
            SELECT FROM standing s WHERE s.tenant = t.tenant AND s.slice = n.slice AND s.sweep_due <= clock.now)
        ELSE EXISTS (
            SELECT FROM conversations c
            WHERE c.tenant = t.tenant AND c.slice = n.slice AND c.archived IS NULL
                AND c.touched <= clock.now - make_interval(secs => (k.keep->>'archive')::float8)
                AND NOT EXISTS (
                    SELECT FROM holds h
                    WHERE h.tenant = c.tenant AND h.released IS NULL AND (h.scope IS NULL OR h.scope = c.scope)))
            OR EXISTS (
                SELECT FROM entities e
                WHERE e.tenant = t.tenant AND e.slice = n.slice AND e.due <= clock.now AND e.tombstoned IS NULL
                    AND NOT (k.keep->>'hold')::boolean AND NOT EXISTS (
                        SELECT FROM holds h
                        WHERE h.tenant = e.tenant AND h.released IS NULL AND (h.scope IS NULL OR h.scope = e.scope)))
            OR EXISTS (
                SELECT FROM conversations c
                WHERE c.tenant = t.tenant AND c.slice = n.slice AND c.archived IS NOT NULL
                    AND c.touched <= clock.now - make_interval(secs => (k.keep->>'expire')::float8)
                    AND (c.tombstoned IS NULL OR c.tombstoned < c.touched)
                    AND NOT EXISTS (
                        SELECT FROM holds h
                        WHERE h.tenant = c.tenant AND h.released IS NULL AND (h.scope IS NULL OR h.scope = c.scope)))
            OR EXISTS (
                SELECT FROM jsonb_each_text(k.keep->'drop') AS d (kind, seconds) JOIN standing s ON s.kind = d.kind
                WHERE s.tenant = t.tenant AND s.slice = n.slice
                    AND greatest(s.created, s.last_access, s.reinforced)
                        <= clock.now - make_interval(secs => d.seconds::float8)
                    AND NOT EXISTS (
                        SELECT FROM holds h
                        WHERE h.tenant = s.tenant AND h.released IS NULL AND (h.scope IS NULL OR h.scope = s.scope)))
        END
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
