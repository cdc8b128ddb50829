-- Asks for work on a scope: makes the one pending intent of (scope, job, pack), or hastens it.
--
-- Served by intents_one_pending. It always locks the intent: see push_intents.
INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened, chosen)
VALUES (%(scope)s, %(tenant)s, %(job)s, %(pack)s, %(target)s,
    slowwave_now() + make_interval(secs => %(wait)s), true, %(only)s)
ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
SET target = greatest(i.target, excluded.target),
    due = least(i.due, excluded.due),
    hastened = true,
    chosen = CASE WHEN i.chosen IS NULL THEN excluded.chosen ELSE i.chosen || excluded.chosen END
