-- Twenty thousand episodes of one scope, with what was made of them.
CREATE TEMPORARY TABLE crowd AS
    SELECT '$scope'::uuid AS scope, 'default' AS tenant, n, md5('e' || n)::uuid AS episode,
        md5('d' || n)::uuid AS delta,
        timestamptz '2026-03-02' + n * interval '1 s' AS at
    FROM generate_series(2, $crowd) AS n;
INSERT INTO episode_keys (scope, id, tenant, position, received, digest)
    SELECT scope, episode, tenant, n, at, '' FROM crowd;
INSERT INTO episodes (scope, position, received, tenant, id, key, occurred, session, role, kind, content)
    SELECT scope, n, at, tenant, episode, 'k' || n, at, 's' || n % 9, 'user', 'message', 'I like n' || n
    FROM crowd;
INSERT INTO deltas (id, scope, tenant, pack, rule, kind, mode, position, fact, valid, confidence, recorded,
        fingerprint, payload_digest)
    SELECT delta, scope, tenant, 'everyday', 'r', 'add', 'assert', n, delta, tstzrange(at, NULL), .9, at,
        '', ''
    FROM crowd;
INSERT INTO deltas (id, scope, tenant, pack, rule, kind, mode, position, fact, confidence, recorded, fingerprint,
        payload_digest, again)
    SELECT md5('x' || n)::uuid, md5('else')::uuid, tenant, 'everyday', 'r', 'noop', 'assert', n,
        md5('f' || n / 10)::uuid, .9, at, '', '', md5('y' || n)::uuid
    FROM crowd;
INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end)
    SELECT md5('x' || n)::uuid, 0, tenant, episode, 'k' || n, n, 0, 1 FROM crowd;
INSERT INTO delta_payloads (delta, tenant, payload)
    SELECT delta, tenant, jsonb_build_object('session', 's' || n % 9) FROM crowd;
INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end)
    SELECT delta, 0, tenant, episode, 'k' || n, n, 0, 1 FROM crowd;
INSERT INTO facts (scope, tenant, fact, belief, subject, predicate, object, single_valued, valid, recorded,
        confidence, rule, position, session, text)
    SELECT scope, tenant, delta, n, 'user', 'likes', 'n' || n, false, tstzrange(at, NULL),
        tstzrange(at, NULL), .9, 'r', n, 's', 'user likes n' || n
    FROM crowd;
INSERT INTO sightings (scope, pattern, bucket, tenant, sources)
    SELECT scope, episode, 'w', tenant, '[]' FROM crowd;
INSERT INTO strategies (scope, strategy, tenant, task, description, context_pattern, tools)
    SELECT scope, episode, tenant, 't', 'd', 'c', '{}' FROM crowd;
