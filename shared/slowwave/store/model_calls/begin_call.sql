-- Records the start of a call; its request is now being asked.
--
-- Served by model_requests_pkey.
WITH asked AS (
    UPDATE model_requests SET state = 'asked' WHERE request = %(request)s
)
INSERT INTO model_calls (request, tenant, day, provider, batch, owner, reserved_tokens, reserved_micros)
VALUES (
    %(request)s, %(tenant)s, (slowwave_now() AT TIME ZONE 'UTC')::date, %(provider)s, %(batch)s, %(owner)s,
    %(tokens)s, %(micros)s
)
RETURNING call
