-- Queues for review the promotions made under other thresholds, and the facts that would now qualify.
--
-- Reads all promotions and facts, once per change of a tenant's thresholds. Promotions by a person stay.
WITH promoted AS (
    UPDATE promotions SET due = slowwave_now()
    WHERE undone IS NULL AND policy -> 'thresholds' <> %(thresholds)s::jsonb
    RETURNING 1
),
enough AS (
    UPDATE standing s SET promote_due = slowwave_now()
    FROM scope_heads h
    WHERE
        h.scope = s.scope AND h.channel <> '_global' AND s.kind = 'semantic' AND s.promote_due IS NULL
        AND s.base >= %(confidence)s AND s.access_count >= %(accesses)s
        AND NOT EXISTS (SELECT FROM promotions p WHERE p.source_fact = s.memory AND p.undone IS NULL)
    RETURNING 1
)
SELECT (SELECT count(*) FROM promoted) + (SELECT count(*) FROM enough)
