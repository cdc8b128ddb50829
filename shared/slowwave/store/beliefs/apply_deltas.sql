-- Appends deltas to the ledger, each with its payload and its source.
--
-- Guarded by deltas_pkey, which refuses a delta that exists: the same decision would be applied twice.
WITH new AS MATERIALIZED (
    SELECT * FROM unnest(
        %(ids)s::uuid[],
        %(packs)s::text[],
        %(rules)s::text[],
        %(kinds)s::text[],
        %(modes)s::text[],
        %(positions)s::bigint[],
        %(beliefs)s::bigint[], %(facts)s::uuid[], %(replaces)s::text[], %(ranged)s::boolean[],
        %(valid_from)s::timestamptz[], %(valid_to)s::timestamptz[], %(confidences)s::float8[],
        %(recorded)s::timestamptz[], %(fingerprints)s::bytea[], %(payloads)s::text[],
        %(payload_digests)s::bytea[], %(again)s::uuid[], %(places)s::timestamptz[]
    ) AS new (
        id, pack, rule, kind, mode, position, belief, fact, replaces, ranged, valid_from, valid_to, confidence,
        recorded, fingerprint, payload, payload_digest, again, stands_at
    )
),
kept AS (
    INSERT INTO delta_payloads (delta, tenant, payload) SELECT id, slowwave_tenant(), payload::jsonb FROM new
),
sourced AS (
    INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end, origin)
    SELECT delta, ordinal, slowwave_tenant(), episode, key, position, span_start, span_end, origin
    FROM unnest(
        %(source_deltas)s::uuid[], %(source_ordinals)s::int[], %(source_episodes)s::uuid[], %(source_keys)s::text[],
        %(source_positions)s::bigint[], %(source_starts)s::int[], %(source_ends)s::int[], %(source_origins)s::uuid[]
    ) AS source (delta, ordinal, episode, key, position, span_start, span_end, origin)
),
made AS (
    INSERT INTO delta_origins (delta, ordinal, tenant, relation, scope, memory)
    SELECT delta, ordinal, slowwave_tenant(), relation, scope, memory
    FROM unnest(
        %(origin_deltas)s::uuid[], %(origin_ordinals)s::int[], %(origin_relations)s::text[],
        %(origin_scopes)s::uuid[], %(origin_memories)s::uuid[]
    ) AS origin (delta, ordinal, relation, scope, memory)
)
INSERT INTO deltas (
    id, scope, tenant, run, pack, rule, kind, mode, position, belief, fact, replaces, valid,
    confidence, recorded, fingerprint, payload_digest, again, stands_at
)
SELECT
    id, %(scope)s, slowwave_tenant(), %(run)s, pack, rule, kind, mode, position, belief, fact,
    replaces::uuid[], CASE WHEN ranged THEN tstzrange(valid_from, valid_to) END, confidence, recorded, fingerprint,
    payload_digest, again, stands_at
FROM new
