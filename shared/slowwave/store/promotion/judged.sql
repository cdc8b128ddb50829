-- Ends or confirms reviewed promotions, except those with new evidence since the review.
--
-- Served by promotions_pkey. Returns those that were ended: fewer than expected if another was first.
UPDATE promotions p
SET
    undone = CASE WHEN j.undone THEN slowwave_now() END,
    due = CASE WHEN p.due = j.seen OR j.undone THEN j.again ELSE p.due END,
    policy = coalesce(j.policy::jsonb, p.policy)
FROM
    unnest(
        %(promotions)s::bigint[], %(seen)s::timestamptz[], %(undone)s::boolean[], %(again)s::timestamptz[],
        %(policies)s::text[]
    ) AS j (promotion, seen, undone, again, policy)
WHERE p.promotion = j.promotion AND p.undone IS NULL
