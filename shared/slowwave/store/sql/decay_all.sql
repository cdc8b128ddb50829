-- Everything of a slice.
--
-- Served by standing_sweep_due or standing_decay_due, of which each begins with tenant and slice.
SELECT s.*
FROM standing s
WHERE s.tenant = slowwave_tenant() AND s.slice = %(slice)s
