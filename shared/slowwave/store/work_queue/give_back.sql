-- Keeps an intent's window and counts no failure. The intent is due after a wait.
--
-- Served by intents_pkey.
UPDATE intents
SET fence = NULL, due = slowwave_now() + make_interval(secs => %(wait)s)
WHERE intent = %(intent)s
