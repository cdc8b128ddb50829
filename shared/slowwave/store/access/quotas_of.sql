-- The limits of these kinds for the tenant and for these users: one row for the tenant, and one for each user with an
-- own limit or with the limit of each user. A row without a limit says that the tenant has quotas of a kind.
--
-- Served by quotas_pkey.
WITH limits AS (
    SELECT what, applies, user_id, most FROM quotas
    WHERE
        tenant = slowwave_tenant() AND what = ANY(%(these)s::text[]) AND most IS NOT NULL
        AND user_id = ANY(%(users)s::text[] || ARRAY[''])
)
SELECT what, user_id, most FROM limits WHERE applies <> 'each user'
UNION ALL
SELECT l.what, u.user_id, l.most
FROM limits AS l CROSS JOIN unnest(%(users)s::text[]) AS u (user_id)
WHERE
    l.applies = 'each user'
    AND NOT EXISTS (SELECT FROM limits AS own WHERE own.what = l.what AND own.user_id = u.user_id)
UNION ALL
SELECT DISTINCT what, '', NULL::bigint FROM quotas
WHERE tenant = slowwave_tenant() AND what = ANY(%(these)s::text[]) AND most IS NOT NULL
