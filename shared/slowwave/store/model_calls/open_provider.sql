-- Inserts the breaker and the slots of a new provider.
--
-- Guarded by model_breakers_pkey and model_slots_pkey.
WITH breaker AS (
    INSERT INTO model_breakers (provider, tenant, width) VALUES (%(provider)s, %(tenant)s, %(slots)s)
    ON CONFLICT DO NOTHING
)
INSERT INTO model_slots (provider, slot, tenant)
SELECT %(provider)s, slot, %(tenant)s
FROM generate_series(1, %(slots)s) AS slot
ON CONFLICT DO NOTHING
