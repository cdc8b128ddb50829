-- Counts a fault of ours against an intent and puts it off.
--
-- Served by intents_pkey.
UPDATE intents
SET fence = NULL, faults = faults + 1, faulted = slowwave_now(), due = slowwave_now() + make_interval(secs => %(wait)s)
WHERE intent = %(intent)s
