-- The earliest place of late claims that were folded in a run that ended at *since* or later, if it is before *since*.
--
-- Served by deltas_late and deltas_of_run.
SELECT min(late.stands_at)
FROM deltas late
WHERE
    late.scope = %(scope)s AND late.stands_at < %(since)s
    AND EXISTS (
        SELECT FROM deltas last WHERE last.run = late.run AND last.scope = late.scope AND last.recorded >= %(since)s
    )
