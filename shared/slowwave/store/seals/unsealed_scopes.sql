-- The scopes of this tenant with deltas after their last seal.
--
-- Served by scope_heads_tenant_user_id_agent_channel_key, ledger_seals_pkey and deltas_scope_recorded_key.
SELECT h.scope
FROM scope_heads AS h
WHERE
    h.tenant = slowwave_tenant()
    AND EXISTS (
        SELECT
        FROM deltas AS d
        WHERE
            d.scope = h.scope
            AND d.recorded > coalesce(
                (SELECT max(s.until) FROM ledger_seals AS s WHERE s.scope = h.scope), '-infinity'::timestamptz
            )
    )
ORDER BY h.scope
