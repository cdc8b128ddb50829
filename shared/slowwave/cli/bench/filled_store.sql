-- Fills scopes with facts about likings, each with its belief, its delta and the source of the delta.
WITH new AS MATERIALIZED (
    SELECT
        gen_random_uuid() AS fact, scope, number, slowwave_now() - interval '40 days' AS at,
        CASE WHEN %(tree)s AND number %% 2 = 0 THEN 'thing ' || number / 2 ELSE 'user' END AS subject
    FROM unnest(%(scopes)s::uuid[]) AS scope, generate_series(%(first)s::int, %(last)s::int) AS number
),
held AS (
    INSERT INTO beliefs (scope, tenant, digest)
    SELECT scope, slowwave_tenant(), sha256(fact::text::bytea) FROM new
    RETURNING belief, scope, digest
),
opened AS (
    INSERT INTO facts (scope, tenant, fact, belief, subject, predicate, object, single_valued, valid, recorded,
        confidence, rule, position, session, text)
    SELECT new.scope, slowwave_tenant(), new.fact, held.belief, subject, 'likes', 'thing ' || number, false,
        tstzrange(at, NULL), tstzrange(at + number * interval '1 microsecond', NULL), 0.7, 'bench', number, 's',
        subject || ' likes thing ' || number
    FROM new JOIN held ON held.digest = sha256(new.fact::text::bytea)
),
told AS (
    INSERT INTO deltas (id, scope, tenant, pack, rule, kind, mode, position, belief, fact, valid, confidence, recorded,
        fingerprint, payload_digest)
    SELECT fact, new.scope, slowwave_tenant(), 'bench', 'bench', 'add', 'assert', number, belief, fact,
        tstzrange(at, NULL), 0.7, at + number * interval '1 microsecond', digest, sha256(''::bytea)
    FROM new JOIN held ON held.digest = sha256(new.fact::text::bytea)
),
sourced AS (
    INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end)
    SELECT fact, 0, slowwave_tenant(), gen_random_uuid(), 'bench', number, 0, 1 FROM new
)
INSERT INTO standing (scope, memory, tenant, kind, source, tier, base, created)
SELECT scope, fact, slowwave_tenant(), 'semantic', 'inferred', 'warm', 0.7, at FROM new
