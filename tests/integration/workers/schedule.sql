-- Twenty thousand scopes with waiting work, and three with due work.
CREATE TEMPORARY TABLE crowd AS SELECT gen_random_uuid() AS scope, n FROM generate_series(1, 20003) AS n;
INSERT INTO scope_heads (scope, tenant, user_id, agent, channel, head)
    SELECT scope, 'default', n::text, 'a', '_global', 1 FROM crowd;
INSERT INTO scope_leases (scope, tenant) SELECT scope, 'default' FROM crowd;
INSERT INTO watermarks (scope, pack, tenant) SELECT scope, 'night', 'default' FROM crowd;
INSERT INTO intents (scope, tenant, job, pack, target, due)
    SELECT scope, 'default', 'consolidate', 'night', 1,
        slowwave_now() + interval '1 h' * CASE WHEN n > 20000 THEN -1 ELSE n END
    FROM crowd;
