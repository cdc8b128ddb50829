-- The texts of all audit rows of a user, of the given scopes and of no scope, or of the whole tenant.
--
-- One scan of the tenant's audit rows: people ask for this, and rarely.
SELECT
    a.scope, a.id,
    jsonb_build_array(
        a.detail, coalesce(a.query_text, ''), coalesce(a.error_message, ''), coalesce(a.session_id, '')
    ) AS texts
FROM audit_log AS a
WHERE
    (%(scopes)s::uuid[] IS NULL OR a.scope IS NULL OR a.scope = ANY(%(scopes)s::uuid[]))
    AND (%(user)s::text IS NULL OR a.user_id IS NULL OR a.user_id = %(user)s)
