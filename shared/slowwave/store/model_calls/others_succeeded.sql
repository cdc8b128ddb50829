-- True if the provider gave another request a readable reply since this call began.
--
-- Served by model_calls_readable.
SELECT
    EXISTS(
        SELECT FROM model_calls w
        WHERE
            w.provider = c.provider AND w.outcome = 'ok' AND w.finished > c.started AND w.request <> c.request
    )
FROM model_calls c
WHERE c.call = %(call)s
