-- The seals of the tenant's ledgers that were made after %(after)s, one line per seal for the seal of the tenant.
--
-- One scan of the tenant's seals.
SELECT s.made, s.until, jsonb_build_array(s.scope, s.until, s.deltas, encode(s.seal, 'hex'), s.made)::text AS line
FROM ledger_seals AS s
WHERE s.tenant = slowwave_tenant() AND (%(after)s::timestamptz IS NULL OR s.made > %(after)s)
ORDER BY s.made, s.scope, s.until
