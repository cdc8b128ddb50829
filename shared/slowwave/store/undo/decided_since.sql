-- The decisions that reconsideration made since an undo was applied, because of news from before the undo. Such
-- decisions rest on claims that the undo left out.
--
-- Served by deltas_scope_recorded_key, and deltas_in_order for each.
SELECT d.id AS delta, d.recorded AS place
FROM deltas d
WHERE
    d.scope = %(scope)s AND d.recorded > %(applied)s AND d.pack = %(reconsider)s AND d.again IS NULL
    AND d.rule <> %(held)s
    AND EXISTS (
        SELECT FROM deltas n
        WHERE
            n.scope = d.scope AND n.position = d.position AND n.recorded <= %(applied)s AND NOT starts_with(n.pack, '_')
    )
ORDER BY d.recorded
