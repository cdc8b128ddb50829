-- Asks for another job's work on a scope: at once, or whenever a schedule of that job fires next.
--
-- Served by intents_one_pending. It always locks the intent: see push_intents. A job that is not installed asks nobody.
INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened)
SELECT %(scope)s, %(tenant)s, p.job, p.pack, %(target)s,
    CASE WHEN %(at_once)s THEN slowwave_now() ELSE 'infinity' END, %(at_once)s
FROM packs p
WHERE p.pack = %(pack)s AND p.job = %(job)s AND p.active
ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
SET target = greatest(i.target, excluded.target),
    due = least(i.due, excluded.due),
    hastened = i.hastened OR excluded.hastened
