-- Lets the promotions of facts that were closed be looked at: now, or when what is left of the fact ends.
--
-- Served by promotions_source, facts_of_delta and intents_one_pending. A promotion that commits meanwhile holds a share
-- of the fact's row, for which the closing of the fact has waited; so this statement sees it.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
told AS (
    UPDATE promotions p
    SET due = (
        SELECT CASE WHEN count(*) = 0 THEN clock.now ELSE least(p.due, max(upper(f.valid))) END
        FROM facts f
        WHERE f.fact = p.source_fact AND f.scope = p.source_scope AND upper_inf(f.recorded) AND f.valid @> clock.now)
    FROM clock
    WHERE p.source_fact = ANY(%(facts)s::uuid[]) AND p.source_scope = %(scope)s AND p.undone IS NULL
    RETURNING p.target, p.tenant, p.due
)
INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened)
SELECT DISTINCT told.target, told.tenant, packs.job, packs.pack, 0, clock.now, true
FROM told CROSS JOIN clock JOIN packs ON packs.pack = %(pack)s AND packs.active
WHERE told.due <= clock.now
ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
SET due = least(i.due, excluded.due), hastened = true
