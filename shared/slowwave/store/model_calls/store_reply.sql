-- Stores a raw reply before it is parsed, and counts the attempts to parse it; returns that count.
--
-- Served by model_calls_pkey. A settled call is ignored, and a reply that is no longer wanted is not stored.
WITH wanted AS MATERIALIZED (
    SELECT c.call, c.request
    FROM model_calls c
    JOIN model_requests r USING (request)
    WHERE
        c.call = %(call)s AND r.state IN ('pending', 'asked')
        AND (c.outcome IS NULL OR c.outcome IN ('vanished', 'expired'))
),
kept AS (
    INSERT INTO model_replies (call, request, tenant, raw)
    SELECT call, request, slowwave_tenant(), %(raw)s FROM wanted
    ON CONFLICT DO NOTHING
)
UPDATE model_calls c
SET
    looks = looks + 1, model = %(model)s, prompt_tokens = coalesce(%(prompt_tokens)s, c.prompt_tokens),
    reply_tokens = coalesce(%(reply_tokens)s, c.reply_tokens), latency_ms = coalesce(%(latency_ms)s, c.latency_ms)
FROM wanted
WHERE c.call = wanted.call
RETURNING c.looks
