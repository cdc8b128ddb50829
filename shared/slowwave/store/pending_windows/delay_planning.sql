-- Delays an intent to plan until an earlier window is applied.
--
-- Served by intents_pkey.
UPDATE intents SET due = 'infinity', hastened = true WHERE intent = %(intent)s
