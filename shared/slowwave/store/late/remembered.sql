-- Endings, forgettings and confirmations that were remembered before *since*, each as it stood then.
--
-- Served by the scope's part of deltas and by deltas_again. Asked only for what comes late.
SELECT d.kind, d.mode, d.fingerprint, d.fact, lower(d.valid) AS at
FROM deltas d
WHERE
    d.scope = %(scope)s AND d.recorded < %(since)s
    AND (
        d.mode = 'forget' OR (d.mode = 'end' AND NOT lower_inf(d.valid))
        OR (d.kind = 'noop' AND d.fact = ANY(%(facts)s::uuid[]) AND NOT lower_inf(d.valid))
    )
    AND NOT EXISTS (
        SELECT FROM deltas later
        WHERE
            later.scope = d.scope AND later.again = coalesce(d.again, d.id) AND later.mode <> 'withdraw'
            AND later.recorded > d.recorded AND later.recorded < %(since)s
    )
ORDER BY d.recorded
