-- The key of this tenant's fingerprints, and the names of the users of these scopes: from a fact in the scope itself,
-- else in its agent's `_global`.
--
-- There is one row per name, or one row without a name. A tenant without memories has no row. Served by tenants_pkey,
-- by scope_heads_pkey and its unique key, then beliefs_scope_digest_key and facts_open: a few rows per scope.
SELECT
    t.fingerprint_key, named.scope, named.name
FROM tenants AS t
LEFT JOIN
    LATERAL (
        SELECT DISTINCT ON (own.scope) own.scope, f.object AS name
        FROM scope_heads AS own
        JOIN scope_heads AS s
            ON
                (s.tenant, s.user_id, s.agent) = (own.tenant, own.user_id, own.agent)
                AND s.channel IN (own.channel, '_global')
        CROSS JOIN
            LATERAL (
                SELECT belief FROM beliefs WHERE scope = s.scope AND digest = %(digest)s OFFSET 0
            ) AS b
        JOIN facts AS f ON f.scope = s.scope AND f.belief = b.belief AND upper_inf(f.recorded)
        WHERE own.scope = ANY(%(scopes)s::uuid[])
        ORDER BY
            own.scope, s.scope <> own.scope, upper(f.valid) DESC NULLS FIRST, lower(f.valid) DESC NULLS LAST, f.version
    ) AS named
    ON true
ORDER BY named.scope
