-- Takes reviewed memories off the promotion queue, except memories with new evidence since the review.
--
-- Served by standing_pkey. Rows that other transactions have locked stay due, because this run holds locks on facts and
-- must not wait.
UPDATE standing s SET promote_due = seen.again
FROM (
    SELECT t.scope, t.memory, l.again
    FROM
        unnest(
            %(scopes)s::uuid[], %(memories)s::uuid[], %(dues)s::timestamptz[], %(accesses)s::int[],
            %(agains)s::timestamptz[]
        ) AS l (scope, memory, due, accesses, again)
    JOIN standing t USING (scope, memory)
    WHERE t.promote_due = l.due AND t.access_count = l.accesses
    FOR UPDATE OF t SKIP LOCKED
) AS seen
WHERE s.scope = seen.scope AND s.memory = seen.memory
