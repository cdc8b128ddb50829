-- Counts of all parts of memory, as nodes and relationships, in one row. The statement is for people, and no job runs
-- it.
--
-- Heads, entities and conversations have small rows. All facts and sources are counted.
SELECT
    (SELECT coalesce(sum(head), 0)::bigint FROM scope_heads WHERE tenant = %(tenant)s) AS episodes,
    (SELECT count(*) FROM conversations WHERE tenant = %(tenant)s AND tombstoned IS NULL) AS conversations,
    (SELECT count(*) FROM entities WHERE tenant = %(tenant)s AND tombstoned IS NULL) AS entities,
    (
        SELECT
            count(DISTINCT fact) FROM facts WHERE
            tenant = %(tenant)s AND upper_inf(recorded)
            AND valid @> slowwave_now()
    ) AS facts,
    (SELECT count(*) FROM strategies WHERE tenant = %(tenant)s) AS strategies,
    (SELECT count(DISTINCT tool) FROM tool_stats WHERE tenant = %(tenant)s) AS tools,
    (
        SELECT coalesce(sum(h.head - coalesce(w.position, 0)), 0)::bigint
        FROM scope_heads h LEFT JOIN watermarks w ON w.scope = h.scope AND w.pack = %(learner)s
        WHERE h.tenant = %(tenant)s
    ) AS unlearned,
    (SELECT count(*) FROM delta_sources WHERE tenant = %(tenant)s) AS derived_from,
    (SELECT count(*) FROM promotions WHERE tenant = %(tenant)s AND undone IS NULL) AS promoted_from;
