-- Delays the rest of a scope's work after a requested part is done, until the work's maximum age or a new request.
--
-- Served by scope_heads_pkey, episode_keys_scope_position_key and intents_one_pending.
SELECT asked.scope
FROM (
    SELECT
        array_agg(ROW(
            h.scope,
            h.tenant,
            p.job,
            p.pack,
            h.head,
            coalesce(k.received + make_interval(secs => wait.age), 'infinity'),
            false, NULL, h.touched + make_interval(secs => wait.idle), NULL
        )::slowwave_work) AS work
    FROM scope_heads h
    JOIN packs p ON p.pack = %(pack)s AND p.job = %(job)s AND p.active
    JOIN episode_keys k ON k.scope = h.scope AND k.position = %(hi)s + 1
    CROSS JOIN
        LATERAL (
            SELECT
                min(s.seconds) FILTER (WHERE s.kind = 'age') AS age,
                min(s.seconds) FILTER (WHERE s.kind = 'idle') AS idle
            FROM schedules s
            WHERE s.pack = p.pack AND s.job = p.job AND NOT s.paused
        ) AS wait
    WHERE h.scope = %(scope)s
) AS rest
CROSS JOIN LATERAL slowwave_ask(rest.work) AS asked
