-- The slices of tenants with work for the archive job: a conversation to archive or to expire, an entity to tombstone,
-- or a fact past its retention. The retention periods in force decide, and memories under a legal hold do not count.
--
-- Served by conversations_open, entities_due, conversations_archived and legal_holds_in_force: one lookup per tenant
-- and slice, however much is stored, and no lookup for held scopes. Facts are read only if a policy drops them: OFFSET
-- prevents the planner from reading facts first.
SELECT slowwave_slice_id(t.tenant, %(job)s, n.slice) AS scope, t.tenant, n.slice
FROM tenants t
CROSS JOIN generate_series(0, %(slices)s - 1) AS n (slice)
CROSS JOIN
    LATERAL (
        SELECT coalesce(%(periods)s::jsonb -> 'tenants' -> t.tenant, %(periods)s::jsonb -> 'everybody') AS periods
    ) AS k
CROSS JOIN (SELECT slowwave_now() AS now) AS clock
WHERE
    EXISTS (
        SELECT FROM conversations c
        WHERE
            c.tenant = t.tenant AND c.slice = n.slice AND c.archived IS NULL
            AND c.touched <= clock.now - make_interval(secs => (k.periods ->> 'archive')::float8)
            AND NOT EXISTS (SELECT FROM slowwave_legal_holds(c.tenant, c.scope))
    )
    OR EXISTS (
        SELECT FROM entities e
        WHERE
            e.tenant = t.tenant AND e.slice = n.slice AND e.due <= clock.now AND e.tombstoned IS NULL
            AND NOT (k.periods ->> 'hold')::boolean AND NOT EXISTS (SELECT FROM slowwave_legal_holds(e.tenant, e.scope))
    )
    OR EXISTS (
        SELECT FROM conversations c
        WHERE
            c.tenant = t.tenant AND c.slice = n.slice AND c.archived IS NOT NULL
            AND c.touched <= clock.now - make_interval(secs => (k.periods ->> 'expire')::float8)
            AND (c.tombstoned IS NULL OR c.tombstoned < c.touched)
            AND NOT EXISTS (SELECT FROM slowwave_legal_holds(c.tenant, c.scope))
    )
    OR EXISTS (
        SELECT FROM jsonb_each_text(k.periods -> 'drop') AS d (kind, seconds)
        CROSS JOIN LATERAL (
            SELECT FROM standing s
            WHERE
                s.tenant = t.tenant AND s.slice = n.slice AND s.kind = d.kind
                AND greatest(s.created, s.last_access, s.reinforced)
                <= clock.now - make_interval(secs => d.seconds::float8)
                AND NOT EXISTS (SELECT FROM slowwave_legal_holds(s.tenant, s.scope))
            OFFSET 0
        ) AS old
    )
ORDER BY scope
