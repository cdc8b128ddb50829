-- The latest audit rows that match the given filters, newest first.
--
-- Served by the index of the filtered column, each with time: audit_log_operation, audit_log_memory_type,
-- audit_log_user, audit_log_session, audit_log_source_channel; without a filter by audit_log_pkey of the newest
-- partitions.
SELECT
    id, at, operation, memory_type, scope, run, user_id, session_id, source_channel,
    coalesce(target_channels, '{}') AS target_channels, coalesce(affected, '{}') AS affected, query_text,
    result_count, latency_ms, success, error_message, promoted_from_channel, promotion_confidence,
    promotion_access_count, promotion_conversation_count, detail, settings
FROM audit_log
WHERE
    (%(operation)s::text IS NULL OR operation = %(operation)s)
    AND (%(memory_type)s::text IS NULL OR memory_type = %(memory_type)s)
    AND (%(user)s::text IS NULL OR user_id = %(user)s)
    AND (%(session)s::text IS NULL OR session_id = %(session)s)
    AND (%(channel)s::text IS NULL OR source_channel = %(channel)s)
    AND (%(since)s::timestamptz IS NULL OR at >= %(since)s)
    AND NOT (%(failed)s AND success)
ORDER BY at DESC, id DESC
LIMIT %(most)s;
