-- Asks for work on a scope: makes the one pending intent of (scope, job, pack), or hastens it.
--
-- Served by intents_one_pending. It always locks the intent: see push_intents. With %(upto)s only that much is asked for
-- at once, unless all of it was.
INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened, chosen, upto)
VALUES (%(scope)s, %(tenant)s, %(job)s, %(pack)s, %(target)s,
    slowwave_now() + make_interval(secs => %(wait)s), true, %(only)s, %(upto)s)
ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
SET target = greatest(i.target, excluded.target),
    due = least(i.due, excluded.due),
    hastened = true,
    upto = CASE
        WHEN excluded.upto IS NULL OR (i.hastened AND i.upto IS NULL) THEN NULL
        ELSE greatest(i.upto, excluded.upto)
    END,
    chosen = CASE WHEN i.chosen IS NULL THEN excluded.chosen ELSE i.chosen || excluded.chosen END
