-- The ends and deletions of beliefs with these fingerprints. If a claim was decided again, the latest decision counts.
--
-- Served by deltas_remembered and deltas_again.
SELECT d.mode, d.fingerprint, lower(d.valid) AS at
FROM deltas d
WHERE
    d.scope = %(scope)s AND d.mode IN ('end', 'forget') AND d.fingerprint = ANY(%(prints)s::bytea[])
    AND (d.mode = 'forget' OR NOT lower_inf(d.valid))
    AND NOT EXISTS (
        SELECT FROM deltas later
        WHERE
            later.scope = d.scope AND later.again = coalesce(d.again, d.id) AND later.mode <> 'withdraw'
            AND later.recorded > d.recorded
    )
