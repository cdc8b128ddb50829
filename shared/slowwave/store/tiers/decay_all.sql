-- Everything of a slice.
--
-- Served by standing_sweep_due or standing_decay_due, of which each begins with tenant and slice.
SELECT s.ctid AS place, s.scope, s.memory, s.kind, s.tier, s.source, s.base, s.created, s.last_access, s.reinforced,
    s.access_count, s.pinned, s.decay_due
FROM standing s
WHERE s.tenant = slowwave_tenant() AND s.slice = %(slice)s
