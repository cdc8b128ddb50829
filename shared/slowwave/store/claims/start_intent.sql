-- Marks a claimed intent as running, with its window and fence. Due moves to now: one that keeps vanishing queues
-- behind the scope's others.
--
-- Served by intents_pkey.
UPDATE intents
SET
    state = 'running',
    lo = %(lo)s,
    hi = %(hi)s,
    fence = %(fence)s,
    vanished = %(vanished)s,
    strikes = %(strikes)s,
    model_window = %(model_window)s,
    due = slowwave_now()
WHERE intent = %(intent)s
