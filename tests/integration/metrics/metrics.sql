-- Intents that are due, and as many runs, calls and hours of tallies.
CREATE TEMPORARY TABLE crowd AS
    SELECT n, md5('s' || n)::uuid AS scope, slowwave_now() - n * interval '1 h' AS at
    FROM generate_series(1, $crowd) AS n;
INSERT INTO intents (scope, tenant, job, pack, target, due)
    SELECT scope, 'default', 'consolidate', 'everyday', 1, at FROM crowd;
INSERT INTO runs (scope, tenant, job, pack, version, intent, lo, hi, fence, owner, started, finished,
        outcome)
    SELECT scope, 'default', 'consolidate', 'everyday', 1, n, 1, 1, 1, 'ann', at, at, 'ok' FROM crowd;
INSERT INTO model_calls (request, tenant, day, provider, owner, reserved_tokens, reserved_micros, started)
    SELECT 'r' || n, 'default', (at AT TIME ZONE 'UTC')::date, 'p', 'ann', 1, 1, at FROM crowd;
INSERT INTO model_requests (request, tenant, scope, pack, model, edition, positions, quotes, prompt_tokens,
        most_tokens, state)
    SELECT 'r' || n, 'default', scope, 'p', 'm', '', ARRAY[1], ARRAY[1], 1, 1,
        CASE WHEN n % 20 = 0 THEN 'pending' ELSE 'answered' END FROM crowd;
INSERT INTO tallies (tenant, name, hour, bucket, count)
    SELECT 'default', '$hit', date_trunc('hour', at), 0, 1 FROM crowd;
