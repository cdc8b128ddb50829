-- The quotas of a tenant, with the stored level and the seconds since it was stored.
--
-- Served by quotas_pkey.
SELECT
    q.what, q.applies, q.user_id, q.most, q.level, extract(EPOCH FROM slowwave_now() - q.seen)::float8 AS seconds
FROM quotas AS q
CROSS JOIN unnest(%(order)s::text[]) WITH ORDINALITY AS kinds (what, place)
WHERE kinds.what = q.what AND q.tenant = slowwave_tenant() AND q.most IS NOT NULL
ORDER BY kinds.place, q.applies <> 'tenant', q.applies = 'user', q.user_id
