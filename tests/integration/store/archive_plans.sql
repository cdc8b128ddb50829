-- Conversations and entities that are new, held or gone, and five of each that are due.
CREATE TEMPORARY TABLE crowd AS
    SELECT md5('s' || n)::uuid AS scope, 'default' AS tenant, n, md5('e' || n)::uuid AS entity,
        slowwave_now() - CASE WHEN n <= 5 THEN interval '100 d' ELSE n * interval '1 min' END AS at
    FROM generate_series(1, $crowd) AS n;
INSERT INTO conversations (scope, session, tenant, first_at, last_at, episodes, touched, archived)
    SELECT scope, 's' || n, tenant, at, at, 1, at, NULL FROM crowd
    UNION ALL
    SELECT scope, 'a' || n, tenant, at, at, 1, at - interval '100 d', at - interval '1 d' FROM crowd;
INSERT INTO entities (scope, entity, tenant, name, first_seen, last_seen, due)
    SELECT scope, entity, tenant, 'e' || n, at, at, CASE WHEN n <= 5 THEN at WHEN n % 2 = 0 THEN
        slowwave_now() + interval '1 d' END
    FROM crowd;
INSERT INTO standing (scope, memory, tenant, kind, tier, base, created)
    SELECT scope, entity, tenant, 'entity', 'cold', 1, at FROM crowd;
INSERT INTO legal_holds (tenant, scope, reason)
    SELECT tenant, scope, 'r' FROM crowd WHERE n BETWEEN 100 AND 200;
