-- Asks for another job's work on a scope: at once, or whenever a schedule of that job fires next, its age included.
--
-- Served by intents_one_pending. It always locks the intent: see push_intents. A job that is not installed asks nobody.
INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened, idle_due)
SELECT %(scope)s, %(tenant)s, p.job, p.pack, %(target)s,
    CASE WHEN %(at_once)s THEN slowwave_now() ELSE coalesce(slowwave_now() + make_interval(secs => wait.age), 'infinity') END,
    %(at_once)s,
    slowwave_now() + make_interval(secs => wait.idle)
FROM packs p
CROSS JOIN LATERAL (
    SELECT min(s.seconds) FILTER (WHERE s.kind = 'age') AS age, min(s.seconds) FILTER (WHERE s.kind = 'idle') AS idle
    FROM schedules s
    WHERE s.pack = p.pack AND s.job = p.job AND NOT s.paused
) AS wait
WHERE p.pack = %(pack)s AND p.job = %(job)s AND p.active
ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
SET target = greatest(i.target, excluded.target),
    due = least(i.due, excluded.due),
    hastened = i.hastened OR excluded.hastened,
    upto = CASE WHEN NOT excluded.hastened THEN i.upto END,
    idle_due = coalesce(i.idle_due, excluded.idle_due)
