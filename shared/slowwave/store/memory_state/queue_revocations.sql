-- Queues the promotions of closed facts for revocation: now, or when the fact's remaining valid time ends.
--
-- Served by promotions_source, facts_of_delta and intents_one_pending. A promotion that commits meanwhile holds a share
-- lock on the fact's row, for which the closing has waited; so this statement sees it.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
told AS (
    UPDATE promotions p
    SET
        due = (
            SELECT CASE WHEN count(*) = 0 THEN clock.now ELSE least(p.due, max(upper(f.valid))) END
            FROM facts f
            WHERE f.fact = p.source_fact AND f.scope = p.source_scope AND upper_inf(f.recorded) AND f.valid @> clock.now
        )
    FROM clock
    WHERE p.source_fact = ANY(%(facts)s::uuid[]) AND p.source_scope = %(scope)s AND p.undone IS NULL
    RETURNING p.target, p.tenant, p.due
)
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            target, tenant, job, pack, 0, now, true, NULL, NULL, NULL
        )::slowwave_work) AS work
    FROM (
        SELECT DISTINCT told.target, told.tenant, packs.job, packs.pack, clock.now
        FROM told CROSS JOIN clock JOIN packs ON packs.pack = %(pack)s AND packs.active
        WHERE told.due <= clock.now
    ) AS due
) AS promotions
CROSS JOIN LATERAL slowwave_ask(promotions.work) AS asked
