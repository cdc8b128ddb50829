-- Removes the limit of one user's quota if the limit of each user now applies to the user. The user keeps the share
-- that was left, and so does not begin with a full quota.
--
-- Served by quotas_pkey.
UPDATE quotas AS own
SET most = NULL, level = own.level * each.most / own.most
FROM quotas AS each
WHERE
    own.tenant = slowwave_tenant() AND own.what = %(what)s AND own.applies = %(applies)s AND own.user_id = %(user)s
    AND own.applies = 'user' AND own.most IS NOT NULL
    AND each.tenant = own.tenant AND each.what = own.what AND each.applies = 'each user' AND each.user_id = ''
    AND each.most IS NOT NULL
