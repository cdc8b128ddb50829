-- Fires the schedule `manual` for scopes with work, of one tenant or all, and makes that work due at once.
--
-- Served by scope_heads_tenant_user_id_agent_channel_key or scope_heads_pkey, then watermarks_pkey.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
work AS MATERIALIZED (
    SELECT h.scope, h.tenant, p.job, p.pack, h.head
    FROM scope_heads h
    JOIN watermarks w USING (scope)
    JOIN packs p USING (pack)
    WHERE
        h.head > w.planned AND p.active
        AND (p.job = ANY(%(pushed)s) OR p.pack = %(pack)s::text)
        AND (%(tenant)s::text IS NULL OR h.tenant = %(tenant)s::text)
        AND (%(scopes)s::uuid[] IS NULL OR h.scope = ANY(%(scopes)s::uuid[]))
        AND (%(pack)s::text IS NULL OR p.pack = %(pack)s::text)
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT DISTINCT 'manual', scope, %(key)s, tenant, %(by)s FROM work
)
SELECT asked.scope, asked.job, asked.since
FROM (
    SELECT
        array_agg(ROW(
            scope, tenant, job, pack, head, clock.now, true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM work, clock
) AS fires
CROSS JOIN LATERAL slowwave_ask(fires.work) AS asked
