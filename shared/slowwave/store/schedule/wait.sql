-- Restarts the maximum age of a pack's waiting work from now on, without end if %(seconds)s is NULL.
--
-- Served by intents_waiting. Intents are locked in the same order as by pushes.
WITH waiting AS MATERIALIZED (
    SELECT intent FROM intents
    WHERE pack = %(pack)s AND job = %(job)s AND state = 'pending' AND NOT hastened
    ORDER BY scope, job, pack
    FOR UPDATE
)
UPDATE intents
SET due = coalesce(slowwave_now() + make_interval(secs => %(seconds)s::float8), 'infinity')
WHERE intent IN (SELECT intent FROM waiting)
