-- The start of the valid time of each of these facts that is believed but not valid yet.
--
-- Served by facts_of_delta.
SELECT f.scope, f.fact, min(lower(f.valid)) AS begins
FROM unnest(%(scopes)s::uuid[], %(facts)s::uuid[]) AS asked (scope, fact)
JOIN facts f USING (scope, fact)
WHERE upper_inf(f.recorded) AND lower(f.valid) > %(now)s
GROUP BY f.scope, f.fact
