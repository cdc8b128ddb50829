-- The payload of each delta of a scope, the stored digest of the payload, and the words of all versions of its fact. An
-- erasure deletes payloads, but only empties the reason of a delta that names erased words.
--
-- Served by deltas_scope_recorded_key, delta_payloads_pkey and facts_of_delta.
SELECT
    d.id,
    d.payload_digest,
    p.payload,
    p.payload ->> 'reason' = '' AND EXISTS (SELECT FROM erasure_targets AS e WHERE e.scope = %(scope)s) AS emptied,
    (
        SELECT jsonb_agg(DISTINCT jsonb_build_array(f.subject, f.predicate, f.object, f.text))
        FROM facts AS f
        WHERE f.fact = d.id AND f.scope = d.scope
    ) AS words
FROM deltas AS d
INNER JOIN delta_payloads AS p ON p.delta = d.id
WHERE d.scope = %(scope)s
ORDER BY d.recorded
