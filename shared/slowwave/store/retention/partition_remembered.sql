-- True where this tenant has an episode received in these bounds that its conversation's tombstone does not cover.
--
-- Served by the partition's primary key a scope, then by conversations_pkey; it ends at the first that is found.
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
