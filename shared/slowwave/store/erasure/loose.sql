-- The audit rows that name a user or a session. They are of all scopes, or of the given scopes and of no scope.
--
-- One scan of the tenant's audit rows: people ask for this, and rarely.
SELECT a.id
FROM audit_log AS a
WHERE
    (%(scopes)s::uuid[] IS NULL OR a.scope IS NULL OR a.scope = ANY(%(scopes)s::uuid[]))
    AND (
        (a.user_id = %(user)s AND %(session)s::text IS NULL)
        OR (a.session_id = %(session)s AND (%(user)s::text IS NULL OR a.user_id = %(user)s))
    )
ORDER BY a.id
