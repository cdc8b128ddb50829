-- The times later than *earliest* at which these facts were said again; of a claim decided again the latest counts.
--
-- Served by deltas_confirming and deltas_again.
SELECT d.fact, lower(d.valid) AS at
FROM deltas d
WHERE
    d.scope = %(scope)s AND d.kind = 'noop' AND d.fact = ANY(%(facts)s::uuid[]) AND lower(d.valid) > %(earliest)s
    AND NOT EXISTS (
        SELECT FROM deltas later
        WHERE
            later.scope = d.scope AND later.again = coalesce(d.again, d.id) AND later.mode <> 'withdraw'
            AND later.recorded > d.recorded
    )
