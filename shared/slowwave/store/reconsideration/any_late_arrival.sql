-- True if a window with late turns was consolidated in a scope after a given time.
--
-- Served by runs_of_scope: backwards to the last successful run of a pack that began before then, and forwards from it.
SELECT count(*) > 0
FROM runs
WHERE
    scope = %(scope)s AND job = 'consolidate' AND outcome = 'ok' AND counts ? 'late'
    AND run > coalesce(
        (
            SELECT last.run FROM runs AS last
            WHERE
                last.scope = %(scope)s AND last.pack = %(pack)s AND last.outcome = 'ok'
                AND last.started <= %(since)s::timestamptz
            ORDER BY last.run DESC
            LIMIT 1
        ),
        0
    )
