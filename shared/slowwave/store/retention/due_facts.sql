-- Facts last learned, confirmed or recalled before the retention period of their kind, and summaries of expired
-- conversations.
--
-- If `only` is not null, only facts in `only` are returned. Pinned facts and facts under a legal hold are left out.
-- Reads the standing of these slices by standing_decay_due, conversations by conversations_archived and
-- conversations_open, and for old facts facts_of_delta and facts_open_recent. It runs only if a policy limits the
-- retention of facts or episodes.
WITH old AS (
    SELECT s.scope, s.memory, k.before
    FROM unnest(%(kinds)s::text[], %(befores)s::timestamptz[]) AS k (kind, before)
    JOIN standing s ON s.kind = k.kind AND greatest(s.created, s.last_access, s.reinforced) <= k.before
    WHERE s.tenant = slowwave_tenant() AND s.slice = ANY(%(slices)s::smallint[])
    UNION ALL
    SELECT c.scope, f.fact, 'infinity'
    FROM conversations c
    JOIN facts f ON f.scope = c.scope AND f.session = c.session AND f.predicate = %(summary)s AND upper_inf(f.recorded)
    WHERE
        c.tenant = slowwave_tenant() AND c.slice = ANY(%(slices)s::smallint[])
        AND (c.archived IS NOT NULL OR c.touched <= %(archive_before)s)
        AND c.touched <= %(expire_before)s AND (c.tombstoned IS NULL OR c.tombstoned < c.touched)
)
SELECT DISTINCT
    s.scope, s.memory, s.kind,
    f.text
FROM old
JOIN standing s ON s.scope = old.scope AND s.memory = old.memory
CROSS JOIN
    LATERAL (
        SELECT f.text, lower(f.recorded) AS learned
        FROM facts f
        WHERE f.fact = s.memory AND f.scope = s.scope AND upper_inf(f.recorded)
        ORDER BY lower(f.recorded) DESC
        LIMIT 1
    ) AS f
WHERE
    NOT s.pinned AND f.learned <= old.before
    AND (s.scope, s.memory) > (%(scope)s, %(memory)s)
    AND (%(only)s::uuid[] IS NULL OR s.memory = ANY(%(only)s))
    AND NOT EXISTS (SELECT FROM slowwave_legal_holds(s.tenant, s.scope))
ORDER BY s.scope, s.memory
LIMIT %(most)s
