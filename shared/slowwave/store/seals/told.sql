-- The payload of each delta of a scope, the stored digest of the payload, and True if the delta's fact has other words.
-- An erasure deletes payloads, but only empties the reason of a delta that names erased words. The oldest payloads have
-- no text, so the text of their facts is not compared.
--
-- Served by deltas_scope_recorded_key, delta_payloads_pkey and facts_of_delta.
SELECT
    d.id,
    d.payload_digest,
    p.payload,
    p.payload ->> 'reason' = '' AND EXISTS (SELECT FROM erasure_targets AS e WHERE e.scope = %(scope)s) AS emptied,
    EXISTS(
        SELECT
        FROM facts AS f
        WHERE
            f.fact = d.id
            AND f.scope = d.scope
            AND row(f.subject, f.predicate, f.object, f.text) IS DISTINCT FROM row(
                p.payload ->> 'subject', p.payload ->> 'predicate', p.payload ->> 'object',
                coalesce(p.payload ->> 'text', f.text)
            )
    ) AS differs
FROM deltas AS d
INNER JOIN delta_payloads AS p ON p.delta = d.id
WHERE d.scope = %(scope)s
ORDER BY d.recorded
