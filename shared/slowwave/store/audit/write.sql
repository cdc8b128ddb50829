-- Inserts one audit row per entry, with the user and channel of the entry, or else of the entry's scope.
--
-- Served by scope_heads_pkey.
INSERT INTO audit_log (
    tenant, scope, operation, memory_type, run, user_id, session_id, conversation_id, source_channel, target_channels,
    affected, query_text, result_count, latency_ms, success, error_message,
    promoted_from_channel, promotion_confidence, promotion_access_count, promotion_conversation_count,
    detail, settings
)
SELECT
    slowwave_tenant(), e.scope, e.operation, e.memory_type, e.run, coalesce(e.user_id, h.user_id), e.session, e.session,
    coalesce(e.channel, h.channel), e.target_channels, e.affected, e.query_text, e.result_count, e.latency_ms,
    e.error IS NULL, e.error,
    e.promoted_channel, e.promoted_confidence, e.promoted_access_count, e.promoted_conversations,
    e.detail, %(settings)s::jsonb
FROM
    jsonb_to_recordset(%(rows)s::jsonb) AS e (
        scope uuid, user_id text, channel text, operation text, memory_type text, run bigint, session text,
        target_channels text[], affected uuid[],
        query_text text, result_count integer, latency_ms double precision, error text,
        promoted_channel text, promoted_confidence double precision, promoted_access_count integer,
        promoted_conversations integer, detail jsonb
    )
LEFT JOIN scope_heads h ON h.scope = e.scope;
