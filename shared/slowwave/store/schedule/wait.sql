-- Lets waiting work of a pack wait for its maximum age from now on, or for ever where %(seconds)s is NULL.
--
-- Served by intents_waiting. Locked in the order in which pushes lock it.
WITH waiting AS MATERIALIZED (
    SELECT intent FROM intents
    WHERE pack = %(pack)s AND job = %(job)s AND state = 'pending' AND NOT hastened
    ORDER BY scope, job, pack
    FOR UPDATE
)
UPDATE intents
SET due = coalesce(slowwave_now() + make_interval(secs => %(seconds)s::float8), 'infinity')
WHERE intent IN (SELECT intent FROM waiting)
