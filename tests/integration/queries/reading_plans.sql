-- Episodes in a hundred sessions.
WITH new AS (
    SELECT %(scope)s::uuid AS scope, 'default' AS tenant, p AS position, now() AS at, md5('e' || p)::uuid AS id,
        's' || p %% 100 AS session
    FROM generate_series(2, %(crowd)s) AS p
), keyed AS (
    INSERT INTO episode_keys (scope, id, tenant, position, received, digest)
    SELECT scope, id, tenant, position, at, '' FROM new
)
INSERT INTO episodes (scope, position, received, tenant, id, key, occurred, session, role, kind, content)
SELECT scope, position, at, tenant, id, position, at, session, 'user', 'message', 'turn ' || position FROM new
