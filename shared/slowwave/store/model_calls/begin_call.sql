-- Records the start of a call; its request is now being asked. A call for which a caller waits has a user.
--
-- Served by model_requests_pkey.
WITH asked AS (
    UPDATE model_requests SET state = 'asked' WHERE request = %(request)s
)
INSERT INTO model_calls (request, tenant, day, provider, batch, owner, user_id, reserved_tokens, reserved_micros)
VALUES (
    %(request)s, %(tenant)s, (slowwave_now() AT TIME ZONE 'UTC')::date, %(provider)s, %(batch)s, %(owner)s,
    %(user)s, %(tokens)s, %(micros)s
)
RETURNING call
