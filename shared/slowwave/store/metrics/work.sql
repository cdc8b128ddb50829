-- The numbers of due and running intents by job, and the age of the oldest intent in seconds. A limited number of
-- intents is read, those that are due longest.
--
-- Served by intents_due, from its oldest end up to now; acts as dispatch. Whether a pack is active is checked for each
-- row: for a join, the planner might read and sort all due intents.
SELECT
    job, count(*) FILTER (WHERE state = 'pending') AS due,
    count(*) FILTER (WHERE state = 'pending' AND age > 60) AS late,
    count(*) FILTER (WHERE state = 'running') AS running, max(age)::float8 AS oldest
FROM (
    SELECT intents.job, state, extract(EPOCH FROM (SELECT slowwave_now()) - due) AS age
    FROM intents
    WHERE
        due > '-infinity' AND due <= (SELECT slowwave_now())
        AND (SELECT packs.active FROM packs WHERE packs.pack = intents.pack)
    ORDER BY due, intent
    LIMIT %(most)s
) AS first
GROUP BY job
ORDER BY job
