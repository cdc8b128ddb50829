-- Ends or confirms reviewed promotions, except those with new evidence since the review.
--
-- Served by promotions_pkey. Returns the ended promotions. There are fewer than expected if another transaction ended
-- some of them first.
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
