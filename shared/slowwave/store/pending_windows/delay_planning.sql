-- Delays an intent to plan until one of the windows before it is applied.
--
-- Served by intents_pkey.
UPDATE intents SET due = 'infinity', hastened = true WHERE intent = %(intent)s
