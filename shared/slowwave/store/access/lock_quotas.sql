-- The token buckets of these quotas, locked: the level, and the seconds since that level was stored. The bucket of a
-- user who has the limit of each user is created full.
--
-- Served by quotas_pkey.
WITH wanted AS (
    SELECT what, user_id, most
    FROM unnest(%(whats)s::text[], %(users)s::text[], %(mosts)s::bigint[]) AS w (what, user_id, most)
),
created AS (
    INSERT INTO quotas (tenant, what, applies, user_id, level)
    SELECT slowwave_tenant(), what, 'user', user_id, most FROM wanted WHERE user_id <> ''
    ON CONFLICT DO NOTHING
    RETURNING what, user_id, level, 0::float8 AS seconds
),
locked AS (
    SELECT q.what, q.user_id, q.level, extract(EPOCH FROM slowwave_now() - q.seen)::float8 AS seconds
    FROM quotas AS q JOIN wanted AS w ON w.what = q.what AND w.user_id = q.user_id
    WHERE q.tenant = slowwave_tenant() AND q.applies = CASE q.user_id WHEN '' THEN 'tenant' ELSE 'user' END
    ORDER BY q.what, q.user_id
    FOR UPDATE OF q
)
SELECT what, user_id, level, seconds FROM created
UNION ALL
SELECT what, user_id, level, seconds FROM locked
