-- Fires the schedule `manual` for scopes with work, of one tenant or all, and asks for that work at once.
--
-- Served by scope_heads_tenant_user_id_agent_channel_key or scope_heads_pkey, then watermarks_pkey. An intent that is
-- there is always locked: see push_intents.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
work AS MATERIALIZED (
    SELECT h.scope, h.tenant, p.job, p.pack, h.head
    FROM scope_heads h
    JOIN watermarks w USING (scope)
    JOIN packs p USING (pack)
    WHERE h.head > w.position AND p.active
        AND (p.job = ANY(%(pushed)s) OR p.pack = %(pack)s::text)
        AND (%(tenant)s::text IS NULL OR h.tenant = %(tenant)s::text)
        AND (%(scopes)s::uuid[] IS NULL OR h.scope = ANY(%(scopes)s::uuid[]))
        AND (%(pack)s::text IS NULL OR p.pack = %(pack)s::text)
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT DISTINCT 'manual', scope, %(key)s, tenant, %(by)s FROM work
)
INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened)
SELECT scope, tenant, job, pack, head, clock.now, true FROM work, clock
ORDER BY scope, job, pack
ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
SET target = greatest(i.target, excluded.target), due = least(i.due, excluded.due), hastened = true, upto = NULL
RETURNING i.scope, i.job, i.due AS since
