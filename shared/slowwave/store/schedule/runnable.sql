-- The oldest due work of scopes that no worker holds; an expired lease does not count.
--
-- Served by intents_due, from its oldest end up to now (see `schedule/ages`). As in `work_queue/take_intent`, a lease
-- that ends more than two leases ahead counts as expired, and work on a window waits for the window before it.
SELECT i.scope, i.job, i.due AS since
FROM intents i
JOIN scope_leases l USING (scope)
JOIN packs p USING (pack)
WHERE
    i.due > '-infinity' AND i.due <= (SELECT slowwave_now())
    AND p.active
    AND (
        l.until IS NULL OR l.until < (SELECT slowwave_now())
        OR l.until > (SELECT slowwave_now()) + make_interval(secs => 2 * %(lease)s)
    )
    AND NOT (i.state = 'pending' AND EXISTS (
        SELECT FROM intents o
        WHERE o.scope = i.scope AND o.job = i.job AND o.pack = i.pack AND o.state = 'running'
    ))
ORDER BY i.due, i.intent
LIMIT %(most)s
