-- Queues promotions for review whose facts the *claims* of an undo say or confirm. The review counts the evidence anew,
-- except for promotions by hand. Returns the scopes of these promotions.
--
-- Served by deltas_pkey, deltas_again and promotions_source.
WITH said AS (
    SELECT d.fact FROM deltas d WHERE d.id = ANY(%(claims)s::uuid[]) AND d.scope = %(scope)s
    UNION
    SELECT d.fact FROM deltas d WHERE d.scope = %(scope)s AND d.again = ANY(%(claims)s::uuid[])
),
due AS (
    UPDATE promotions p
    SET
        due = slowwave_now(),
        policy = CASE
            WHEN p.policy ? 'thresholds' THEN p.policy || '{"confidence": 0, "conversations": 0}' ELSE p.policy
        END
    FROM said CROSS JOIN LATERAL slowwave_same_fact(%(scope)s, said.fact) AS same (fact)
    WHERE p.source_scope = %(scope)s AND p.source_fact = same.fact AND p.undone IS NULL
    RETURNING p.target
)
SELECT DISTINCT target FROM due ORDER BY target
