-- Fires windows of one schedule: each once for the installation, and the last for every scope whose work waits.
--
-- Served by intents_waiting. The installation's row proves that a window fired even where nobody had work; where it is
-- there already, nothing fires. Work is locked in the order in which pushes lock it; work that is hastened already
-- needs no second alarm, unless only a part of it is. Everything is hastened to one instant, and nothing is put off.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
proof AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT %(schedule)s, %(system_scope)s, key, %(system_tenant)s, %(by)s
    FROM unnest(%(keys)s::text[]) AS key
    ORDER BY key
    ON CONFLICT DO NOTHING
    RETURNING at_window
),
waiting AS MATERIALIZED (
    SELECT i.intent, i.scope, i.tenant
    FROM intents i
    WHERE i.pack = %(pack)s AND i.job = %(job)s AND i.state = 'pending' AND (NOT i.hastened OR i.upto IS NOT NULL)
        AND (SELECT count(*) > 0 FROM proof WHERE at_window = %(last)s)
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
SELECT (SELECT coalesce(array_agg(at_window ORDER BY at_window), '{}') FROM proof) AS keys,
    (SELECT count(*) FROM waiting) AS scopes
