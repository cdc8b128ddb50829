-- Facts of some kinds that were last learned, said again or recalled before what is kept of their kind; none pinned.
--
-- Of these `only`, unless it is null. Reads the standing of these slices by standing_decay_due, and facts_of_delta for
-- what is old enough. It is asked only where a policy drops facts at all. What a legal hold covers is not there.
SELECT s.scope, s.memory, s.kind, f.subject || ' ' || replace(f.predicate, '_', ' ') || ' ' || f.object AS text
FROM unnest(%(kinds)s::text[], %(befores)s::timestamptz[]) AS k (kind, before)
JOIN standing s ON s.kind = k.kind AND greatest(s.created, s.last_access, s.reinforced) <= k.before
CROSS JOIN LATERAL (
    SELECT f.subject, f.predicate, f.object, lower(f.recorded) AS learned
    FROM facts f
    WHERE f.fact = s.memory AND f.scope = s.scope AND upper_inf(f.recorded)
    ORDER BY lower(f.recorded) DESC
    LIMIT 1
) AS f
WHERE s.tenant = slowwave_tenant() AND s.slice = ANY (%(slices)s::smallint[]) AND NOT s.pinned
    AND f.learned <= k.before
    AND (s.scope, s.memory) > (%(scope)s, %(memory)s)
    AND (%(only)s::uuid[] IS NULL OR s.memory = ANY (%(only)s))
    AND NOT EXISTS (
        SELECT FROM holds h
        WHERE h.tenant = s.tenant AND h.released IS NULL AND (h.scope IS NULL OR h.scope = s.scope))
ORDER BY s.scope, s.memory
LIMIT %(most)s
