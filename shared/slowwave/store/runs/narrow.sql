-- Halves the window of an intent for the next run, which is due at once.
--
-- Served by intents_pkey.
UPDATE intents
SET hi = %(hi)s, strikes = 0, faults = 0, fence = NULL, due = slowwave_now() + make_interval(secs => %(wait)s)
WHERE intent = %(intent)s
