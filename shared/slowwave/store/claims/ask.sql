-- Asks for work on one scope, at once or after a wait; of chosen positions only, or up to a position, where they are
-- given.
--
-- Served by intents_one_pending (see slowwave_ask).
SELECT scope, job, hastened, since
FROM slowwave_ask(ARRAY[ROW(
    %(scope)s::uuid, %(tenant)s::text, %(job)s::text, %(pack)s::text, %(target)s::bigint,
    slowwave_now() + make_interval(secs => %(wait)s), true, %(upto)s::bigint, NULL, %(only)s::bigint[]
)::slowwave_work])
