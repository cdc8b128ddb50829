-- All edges valid now between the entities of a scope, under the entities that their names stand for.
--
-- One pass over the scope's part of edges_from; facts by facts_of_delta.
SELECT
    g.scope, g.fact, coalesce(s.same_as, s.entity) AS source, coalesce(t.same_as, t.entity) AS target, g.relation,
    g.weight, f.text, f.confidence, lower(f.valid) AS valid_from, upper(f.valid) AS valid_to, NULL::jsonb AS properties
FROM edges g
JOIN entities s ON s.scope = g.scope AND s.entity = g.source
JOIN entities t ON t.scope = g.scope AND t.entity = g.target
JOIN facts f ON f.fact = g.fact AND f.scope = g.scope AND upper_inf(f.recorded) AND f.valid @> slowwave_now()
WHERE g.scope = %(scope)s AND g.target IS NOT NULL AND NOT isempty(g.valid) AND g.valid @> slowwave_now()
ORDER BY g.weight DESC, g.fact
