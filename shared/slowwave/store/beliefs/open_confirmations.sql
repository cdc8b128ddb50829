-- The times after *earliest* at which these facts were confirmed. If a claim was decided again, the latest decision
-- counts.
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
