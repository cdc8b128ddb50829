-- Sets the idle check of a pack's waiting work that has none, counted from now.
--
-- Served by intents_waiting. Intents are locked in the same order as by pushes, so the two never deadlock.
WITH waiting AS MATERIALIZED (
    SELECT intent FROM intents
    WHERE pack = %(pack)s AND job = %(job)s AND state = 'pending' AND NOT hastened AND idle_due IS NULL
    ORDER BY scope, job, pack
    FOR UPDATE
)
UPDATE intents SET idle_due = slowwave_now() WHERE intent IN (SELECT intent FROM waiting)
