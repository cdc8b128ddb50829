-- Inserts numbered episodes with their keys, and moves the heads. All episodes have the same time of receipt, which is
-- returned.
--
-- Served by scope_heads_pkey for the heads.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
new AS MATERIALIZED (
    SELECT * FROM unnest(
        %(scopes)s::uuid[], %(ids)s::uuid[], %(positions)s::bigint[], %(digests)s::bytea[], %(keys)s::text[],
        %(occurred)s::timestamptz[], %(sessions)s::text[], %(roles)s::text[], %(kinds)s::text[],
        %(speakers)s::text[], %(contents)s::text[], %(encrypted)s::text[], %(metadata)s::text[], %(offsets)s::integer[]
    ) AS new (
        scope, id, position, digest, key, occurred, session, role, kind, speaker, content, encrypted, metadata,
        utc_offset
    )
),
keyed AS (
    INSERT INTO episode_keys (scope, id, tenant, position, received, digest)
    SELECT scope, id, slowwave_tenant(), position, clock.now, digest FROM new, clock
),
stored AS (
    INSERT INTO episodes (
        scope, position, received, tenant, id, key, occurred, session, role, kind, speaker,
        content, metadata, terms, utc_offset
    )
    SELECT
        scope, position, clock.now, slowwave_tenant(), id, key, coalesce(occurred, clock.now), session, role,
        kind, speaker, coalesce(encrypted, content), metadata::jsonb, strip(to_tsvector('english', content)), utc_offset
    FROM new, clock
),
moved AS (
    UPDATE scope_heads h SET head = last.head, touched = clock.now
    FROM (SELECT scope, max(position) AS head FROM new GROUP BY scope) AS last, clock
    WHERE h.scope = last.scope
)
SELECT now FROM clock
