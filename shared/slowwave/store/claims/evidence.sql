-- Evidence after a fault: whether a pack got through elsewhere since a run of it failed, and whether other scopes fail
-- alike.
--
-- Served by runs_finished, runs_failed and runs_of_scope. Others may pause for %(longest)s seconds between two tries,
-- so what befell them so long before counts too.
SELECT
    EXISTS(
        SELECT FROM runs r
        WHERE r.outcome = 'ok' AND r.finished > %(since)s AND r.pack = %(pack)s AND r.counts ->> 'episodes' <> '0'
    ) AS witnessed,
    EXISTS(
        SELECT FROM runs r
        WHERE
            r.outcome IN ('faulted', 'narrowed') AND r.finished > %(since)s - make_interval(secs => %(longest)s)
            AND r.pack = %(pack)s AND r.scope <> %(scope)s
            AND r.error = (
                SELECT mine.error FROM runs mine
                WHERE mine.scope = %(scope)s AND mine.intent = %(intent)s AND mine.outcome = 'faulted'
                ORDER BY mine.run DESC
                LIMIT 1
            )
    ) AS shared
