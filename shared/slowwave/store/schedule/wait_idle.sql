-- Lets waiting work of a pack be looked at for silence from now on, where nobody has said when.
--
-- Served by intents_waiting. Locked in the order in which pushes lock it.
WITH waiting AS MATERIALIZED (
    SELECT intent FROM intents
    WHERE pack = %(pack)s AND job = %(job)s AND state = 'pending' AND NOT hastened AND idle_due IS NULL
    ORDER BY scope, job, pack
    FOR UPDATE
)
UPDATE intents SET idle_due = slowwave_now() WHERE intent IN (SELECT intent FROM waiting)
