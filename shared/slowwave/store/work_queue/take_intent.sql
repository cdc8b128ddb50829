-- The oldest due intent of a scope that no worker holds, locked for this worker together with the scope's lease.
--
-- Served by intents_due: the clock is read once, in a subquery, so that the index scan can stop at it. A lease that
-- ends more than two leases ahead counts as expired: the clock went back. A pack that follows segments waits until new
-- episodes are prepared, because only then the end of a segment is known.
SELECT
    i.intent, i.tenant, i.scope, i.job, i.pack, i.state, i.lo, i.hi, i.target, i.fence, i.vanished, i.strikes,
    i.faults,
    i.faulted,
    i.chosen,
    i.hastened,
    i.upto,
    i.model_window,
    (SELECT p.job FROM packs p WHERE p.pack = i.pack) AS due_by,
    l.since,
    slowwave_now() AS now,
    pg_postmaster_start_time() AS booted
FROM intents i
JOIN scope_leases l USING (scope)
WHERE
    i.due <= (SELECT slowwave_now()) - make_interval(secs => %(overdue)s)
    AND (%(scope)s::uuid IS NULL OR i.scope = %(scope)s::uuid)
    AND (%(jobs)s::text[] IS NULL OR i.job = ANY(%(jobs)s::text[]))
    AND (%(besides)s::text[] IS NULL OR i.tenant <> ALL(%(besides)s::text[]))
    AND (
        l.until IS NULL OR l.until < slowwave_now()
        OR l.until > slowwave_now() + make_interval(secs => 2 * %(lease)s)
    )
    AND EXISTS (SELECT FROM packs p WHERE p.pack = i.pack AND p.active)
    AND NOT (
        i.state = 'pending'
        AND i.pack = ANY(ARRAY(SELECT pack FROM schedules WHERE kind = 'semantic_shift' AND NOT paused))
        AND EXISTS (
            SELECT FROM intents p
            JOIN watermarks mine ON mine.scope = i.scope AND mine.pack = i.pack
            JOIN watermarks prepared ON prepared.scope = i.scope AND prepared.pack = p.pack
            WHERE p.scope = i.scope AND p.job = 'prepare' AND prepared.position <= mine.planned
        )
    )
    AND NOT (i.state = 'pending' AND EXISTS (
        SELECT FROM intents o
        WHERE o.scope = i.scope AND o.job = i.job AND o.pack = i.pack AND o.state = 'running'
    ))
ORDER BY i.due, i.intent
LIMIT 1
FOR UPDATE SKIP LOCKED
