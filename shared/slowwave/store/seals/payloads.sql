-- The payload of each delta of a scope, the stored digest of the payload, and the words of all versions of its fact. An
-- erasure deletes payloads, but only empties the reason of a delta that names erased words. An import brings deltas
-- that are older than the scope, perhaps without their erased payloads. Otherwise a missing payload is *gone*.
--
-- Served by scope_heads_pkey, deltas_scope_recorded_key, delta_payloads_pkey and facts_of_delta.
SELECT
    d.id,
    d.payload_digest,
    p.payload,
    p.payload IS NULL AND NOT e.erased AND d.recorded >= h.born AS gone,
    p.payload ->> 'reason' = '' AND e.erased AS emptied,
    (
        SELECT jsonb_agg(DISTINCT jsonb_build_array(f.subject, f.predicate, f.object, f.text))
        FROM facts AS f
        WHERE f.fact = d.id AND f.scope = d.scope
    ) AS words
FROM scope_heads AS h
CROSS JOIN (SELECT EXISTS(SELECT FROM erasure_targets AS t WHERE t.scope = %(scope)s) AS erased) AS e
JOIN deltas AS d ON d.scope = h.scope
LEFT JOIN delta_payloads AS p ON p.delta = d.id
WHERE h.scope = %(scope)s AND (p.payload IS NOT NULL OR NOT e.erased)
ORDER BY d.recorded
