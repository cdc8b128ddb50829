-- Counts a fault of Slowwave's code against an intent, and delays the intent.
--
-- Served by intents_pkey.
UPDATE intents
SET fence = NULL, faults = faults + 1, faulted = slowwave_now(), due = slowwave_now() + make_interval(secs => %(wait)s)
WHERE intent = %(intent)s
