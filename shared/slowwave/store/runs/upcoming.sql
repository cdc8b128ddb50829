-- The windows of a job that follow a run, if no other worker has a run. These are the next window of the scope, if the
-- run is of the same job, and the windows of the oldest due intents. Retries, partial windows, and packs that wait for
-- a model are left out.
--
-- Served by intents_due, intents_one_running, watermarks_pkey and scope_heads_pkey; two dozen intents are read.
SELECT next.tenant, next.scope, next.pack, next.lo, next.hi
FROM (
    SELECT
        %(tenant)s AS tenant, %(scope)s::uuid AS scope, %(pack)s AS pack, %(hi)s::bigint + 1 AS lo,
        least(%(target)s::bigint, %(hi)s::bigint + %(largest)s) AS hi, NULL::timestamptz AS due, 0::bigint AS intent
    WHERE %(same)s
    UNION ALL
    SELECT i.tenant, i.scope, i.pack, w.planned + 1, least(h.head, w.planned + %(largest)s), i.due, i.intent
    FROM (
        SELECT tenant, scope, job, pack, state, chosen, upto, due, intent FROM intents
        WHERE due <= (SELECT slowwave_now())
        ORDER BY due, intent
        LIMIT 24
    ) AS i
    JOIN packs p ON p.pack = i.pack AND p.active AND p.job = i.job
    JOIN watermarks w ON w.scope = i.scope AND w.pack = i.pack
    JOIN scope_heads h ON h.scope = i.scope
    WHERE
        i.job = %(job)s AND i.state = 'pending' AND i.chosen IS NULL AND i.upto IS NULL
        AND NOT (%(same)s AND i.scope = %(scope)s::uuid)
) AS next
WHERE
    next.hi - next.lo + 1 >= %(least)s
    AND NOT EXISTS (SELECT FROM intents o WHERE o.state = 'running' AND o.scope <> %(scope)s::uuid)
ORDER BY next.due NULLS FIRST, next.intent
LIMIT %(most)s
