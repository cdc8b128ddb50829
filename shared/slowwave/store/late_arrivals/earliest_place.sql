-- The earliest place, before *since*, of claims that changed the history at *since* or later. These are late claims of
-- a run that ended at *since* or later, and claims that were undone or restored at *since* or later.
--
-- Served by deltas_late and deltas_of_run; undos_pkey and undone_pkey.
SELECT least(
    (
        SELECT min(late.stands_at)
        FROM deltas late
        WHERE
            late.scope = %(scope)s AND late.stands_at < %(since)s
            AND EXISTS (
                SELECT FROM deltas last
                WHERE last.run = late.run AND last.scope = late.scope AND last.recorded >= %(since)s
            )
    ),
    (
        SELECT min(u.place)
        FROM undos o
        JOIN undone u ON u.scope = o.scope AND u.undo = o.undo
        WHERE o.scope = %(scope)s AND greatest(o.applied, o.lifted) >= %(since)s AND u.place < %(since)s
    )
)
