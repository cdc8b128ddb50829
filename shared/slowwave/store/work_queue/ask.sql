-- Creates an intent for one scope, due at once; optionally for chosen positions only, or up to a position.
--
-- Served by intents_one_pending (see slowwave_ask).
SELECT scope, job, hastened, since
FROM slowwave_ask(ARRAY[ROW(
    %(scope)s::uuid, %(tenant)s::text, %(job)s::text, %(pack)s::text, %(target)s::bigint,
    slowwave_now(), true, %(upto)s::bigint, NULL, %(only)s::bigint[]
)::slowwave_work])
