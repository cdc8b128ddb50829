-- Queues *facts* that are believed again if a promotion by hand ended because they were no longer believed. Returns the
-- scopes to which they were promoted.
--
-- A promotion by hand ends for no other reason. Served by standing_pkey, promotions_source, deltas_pkey and
-- deltas_again.
WITH ended AS (
    SELECT DISTINCT asked.fact, p.target
    FROM unnest(%(facts)s::uuid[]) AS asked (fact)
    CROSS JOIN LATERAL slowwave_same_fact(%(scope)s, asked.fact) AS same (fact)
    JOIN promotions p ON p.source_fact = same.fact AND p.source_scope = %(scope)s
    WHERE p.undone IS NOT NULL AND p.policy ? 'by_hand'
),
queued AS (
    UPDATE standing s SET promote_due = slowwave_now()
    FROM ended
    WHERE s.scope = %(scope)s AND s.memory = ended.fact
)
SELECT DISTINCT target FROM ended ORDER BY target
