-- Facts that are due for decay by a given time, with their standing. Facts under a legal hold are left out.
--
-- Served by standing_decay_due and facts_of_delta.
SELECT s.*, f.text
FROM standing s
CROSS JOIN
    LATERAL (
        SELECT f.text
        FROM facts f
        WHERE f.fact = s.memory AND f.scope = s.scope AND upper_inf(f.recorded)
        ORDER BY lower(f.recorded) DESC
        LIMIT 1
    ) AS f
WHERE
    s.tenant = slowwave_tenant() AND s.slice = ANY(%(slices)s::smallint[]) AND s.decay_due <= %(now)s
    AND NOT EXISTS (SELECT FROM slowwave_legal_holds(s.tenant, s.scope))
ORDER BY s.scope, s.memory
