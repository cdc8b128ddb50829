-- True if this tenant has an episode, received within these bounds, without a tombstone of its conversation.
--
-- Served by the partition's primary key per scope, then by conversations_pkey; the scan stops at the first match.
SELECT EXISTS(
    SELECT
    FROM scope_heads h
    JOIN episodes e ON e.scope = h.scope AND e.received >= %(lo)s AND e.received < %(hi)s
    WHERE
        h.tenant = slowwave_tenant()
        AND NOT EXISTS (
            SELECT FROM conversations c
            WHERE c.scope = e.scope AND c.session = e.session AND c.tombstoned >= e.received
        )
)
