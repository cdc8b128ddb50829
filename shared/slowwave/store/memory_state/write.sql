-- Writes standings back. A memory due for the sweep stays due until the sweep has checked it, as its tier may be full.
--
-- Served by standing_pkey and, for promotion, by scope_heads_pkey. The rows are locked: see `memory_state/lock`.
UPDATE standing s SET
    tier = new.tier, last_access = new.last_access, reinforced = new.reinforced, access_count = new.access_count,
    accesses = new.accesses::timestamptz[], frequency = new.frequency, surprise = new.surprise,
    successes = new.successes, evidence = new.evidence, moved = new.moved, pinned = new.pinned,
    decay_due = new.decay_due,
    sweep_due = CASE
        WHEN NOT %(looked)s AND NOT new.pinned AND s.sweep_due <= %(now)s THEN s.sweep_due
        ELSE new.sweep_due
    END,
    promote_due = CASE
        WHEN %(accessed)s AND s.kind = 'semantic' AND EXISTS (
            SELECT FROM scope_heads h WHERE h.scope = s.scope AND h.channel <> '_global'
        ) THEN %(now)s
        ELSE s.promote_due
    END
FROM
    unnest(
        %(scopes)s::uuid[], %(memories)s::uuid[], %(tiers)s::text[], %(last_access)s::timestamptz[],
        %(reinforced)s::timestamptz[], %(access_counts)s::int[], %(accesses)s::text[], %(frequencies)s::int[],
        %(surprises)s::float8[], %(successes)s::int[], %(evidence)s::timestamptz[], %(moved)s::timestamptz[],
        %(pinned)s::boolean[], %(decay_due)s::timestamptz[], %(sweep_due)s::timestamptz[]
    )
        AS new (
            scope, memory, tier, last_access, reinforced, access_count, accesses, frequency, surprise, successes,
            evidence, moved, pinned, decay_due, sweep_due
        )
WHERE s.scope = new.scope AND s.memory = new.memory
