-- Evidence after a fault: True if other runs of the pack succeeded since a run failed, and True if other scopes fail in
-- the same way.
--
-- Served by runs_finished, runs_failed and runs_of_scope. Other scopes may pause for %(longest)s seconds between two
-- tries, so failures that long before count too.
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
