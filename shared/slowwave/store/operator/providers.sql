-- The providers that were called, each with the running calls, the limit, the failures in a row, and the end of a pause
-- of calls.
--
-- One scan of model_breakers and model_slots: a few rows per provider.
SELECT
    b.provider AS name,
    (SELECT count(*) FROM model_slots s WHERE s.provider = b.provider AND s.call IS NOT NULL) AS under_way,
    b.width,
    b.failures,
    CASE WHEN b.open_until > slowwave_now() THEN b.open_until END AS open_until
FROM model_breakers b
ORDER BY b.provider
