-- Drops the plans of a pack that needs no model any more. The pack continues from its watermark.
--
-- One scan of watermarks and of model_windows_waiting, when a pack has changed its engine.
WITH ended AS (
    UPDATE model_windows SET state = 'done' WHERE pack = %(pack)s AND state = 'waiting'
),
dropped AS (
    DELETE FROM intents WHERE pack = %(pack)s AND job = 'plan'
)
UPDATE watermarks SET planned = position
WHERE pack = %(pack)s AND planned > position
