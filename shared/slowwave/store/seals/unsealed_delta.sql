-- The time of the first delta of a scope that a night must have sealed, but that has no seal. An import brings deltas
-- that are older than the scope.
--
-- Served by scope_heads_pkey, ledger_seals_pkey, tenant_seals_pkey and deltas_scope_recorded_key.
SELECT min(d.recorded)
FROM scope_heads AS h
JOIN deltas AS d ON d.scope = h.scope
WHERE
    h.scope = %(scope)s
    AND d.recorded >= h.born
    AND d.recorded > coalesce(
        (SELECT max(s.until) FROM ledger_seals AS s WHERE s.scope = h.scope), '-infinity'::timestamptz
    )
    AND d.recorded < (SELECT max(t.until) FROM tenant_seals AS t WHERE t.tenant = slowwave_tenant())
