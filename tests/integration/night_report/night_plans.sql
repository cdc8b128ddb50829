-- A delta, a run, a call and an hourly count every six hours.
CREATE TEMPORARY TABLE lived AS
    SELECT n, '$until'::timestamptz - n * interval '6 h' AS at, '$scope'::uuid AS scope
    FROM generate_series(1, $lived) AS n;
INSERT INTO deltas (id, scope, tenant, pack, rule, kind, mode, position, confidence, recorded, fingerprint,
        payload_digest)
    SELECT md5('d' || n)::uuid, scope, 'default', 'p', 'r', 'add', 'assert', n, 1, at, '', '' FROM lived;
INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end)
    SELECT md5('d' || n)::uuid, 0, 'default', md5('e' || n)::uuid, 'k', n, 0, 1 FROM lived;
INSERT INTO runs (scope, tenant, job, pack, version, intent, lo, hi, fence, owner, started, finished,
        outcome, counts)
    SELECT scope, 'default', 'prepare', '_prepare', 1, n, n, n, n, 'ann', at - interval '1 s', at, 'ok',
        '{"episodes": 1, "of": "words"}'
    FROM lived;
INSERT INTO model_calls (request, tenant, day, provider, owner, reserved_tokens, reserved_micros,
        spent_tokens, spent_micros, started, finished, outcome)
    SELECT 'r' || n, 'default', (at AT TIME ZONE 'UTC')::date, 'p', 'ann', 1, 1, 1, 1, at, at, 'ok'
    FROM lived;
INSERT INTO tallies (tenant, name, hour, bucket, count)
    SELECT 'default', '$hit', date_trunc('hour', at), 0, 1 FROM lived;
