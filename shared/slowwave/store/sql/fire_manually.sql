-- Fires the schedule `manual` for every scope with pending work, or for one, and makes that work due now.
--
-- Served by intents_one_pending.
WITH waiting AS MATERIALIZED (
    SELECT intent, scope, tenant FROM intents
    WHERE state = 'pending' AND (%(scope)s::uuid IS NULL OR scope = %(scope)s)
    ORDER BY scope, job, pack
    FOR UPDATE
),
fired AS (
    INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
    SELECT DISTINCT 'manual', scope, %(window)s, tenant, %(by)s FROM waiting
)
UPDATE intents SET due = least(due, slowwave_now()), hastened = true
WHERE intent IN (SELECT intent FROM waiting)
