-- Inserts the standing of new memories. An existing standing keeps its pin and its counts.
--
-- Guarded by standing_pkey.
INSERT INTO standing (
    scope, memory, tenant, kind, source, tier, base, created, last_access, reinforced, access_count,
    accesses, frequency, surprise, successes, evidence, moved, pinned, decay_due, sweep_due
)
SELECT
    scope, memory, slowwave_tenant(), kind, source, tier, base, created, last_access, reinforced, access_count,
    accesses::timestamptz[], frequency, surprise, successes, evidence, moved, pinned, decay_due, sweep_due
FROM
    unnest(
        %(scopes)s::uuid[], %(memories)s::uuid[], %(kinds)s::text[], %(sources)s::text[], %(tiers)s::text[],
        %(bases)s::float8[], %(created)s::timestamptz[], %(last_access)s::timestamptz[], %(reinforced)s::timestamptz[],
        %(access_counts)s::int[], %(accesses)s::text[], %(frequencies)s::int[], %(surprises)s::float8[],
        %(successes)s::int[], %(evidence)s::timestamptz[], %(moved)s::timestamptz[], %(pinned)s::boolean[],
        %(decay_due)s::timestamptz[], %(sweep_due)s::timestamptz[]
    )
        AS new (
            scope, memory, kind, source, tier, base, created, last_access, reinforced, access_count, accesses,
            frequency, surprise, successes, evidence, moved, pinned, decay_due, sweep_due
        )
ORDER BY scope, memory
ON CONFLICT DO NOTHING
