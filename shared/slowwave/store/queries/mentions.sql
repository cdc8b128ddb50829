-- The newest episodes of the given scopes that mention an entity, below a position and a time of receipt. These are the
-- episodes cited by believed facts about the entity, of any valid time, with these facts and the cited spans. They are
-- also the episodes whose content matches a pattern of the entity's names.
--
-- Facts by edges_from, edges_about and edges_to of its names, what confirms them by deltas_confirming, their sources by
-- delta_sources_pkey, each limited in number. Episodes by the primary key of each partition, read backwards from the
-- scope's head or from the end of the page before, until enough are found; conversations by conversations_pkey. Expired
-- episodes are left out, and archived ones unless requested. A promoted fact cites episodes of another scope.
WITH names AS MATERIALIZED (
    SELECT * FROM unnest(%(of)s::uuid[], %(entities)s::uuid[]) AS asked (scope, entity)
),
about AS MATERIALIZED (
    SELECT DISTINCT g.scope, g.fact
    FROM names
    CROSS JOIN
        LATERAL (
            (
                SELECT e.scope, e.fact FROM edges AS e
                WHERE
                    e.scope = names.scope AND e.source = names.entity AND NOT isempty(e.valid) AND e.target IS NOT NULL
                ORDER BY e.weight DESC, e.fact
                LIMIT %(facts)s
            )
            UNION ALL
            (
                SELECT e.scope, e.fact FROM edges AS e
                WHERE e.scope = names.scope AND e.source = names.entity AND NOT isempty(e.valid) AND e.target IS NULL
                ORDER BY e.weight DESC, e.fact
                LIMIT %(facts)s
            )
            UNION ALL
            (
                SELECT e.scope, e.fact FROM edges AS e
                WHERE
                    e.scope = names.scope AND e.target = names.entity AND NOT isempty(e.valid) AND e.target IS NOT NULL
                ORDER BY e.weight DESC, e.fact
                LIMIT %(facts)s
            )
        ) AS g
),
said AS (
    SELECT about.scope, about.fact, about.fact AS delta FROM about
    UNION ALL
    SELECT about.scope, about.fact, d.delta
    FROM about
    CROSS JOIN
        LATERAL (
            SELECT d.delta FROM slowwave_confirmations(about.scope, about.fact) AS d
            ORDER BY d.delta
            LIMIT %(facts)s
        ) AS d
),
told AS MATERIALIZED (
    SELECT
        said.scope, s.position, array_agg(said.fact ORDER BY said.fact, s.ordinal) AS facts,
        array_agg(s.span_start ORDER BY said.fact, s.ordinal) AS starts,
        array_agg(s.span_end ORDER BY said.fact, s.ordinal) AS ends
    FROM said
    CROSS JOIN
        LATERAL (
            SELECT d.* FROM delta_sources AS d
            WHERE d.delta = said.delta AND d.origin IS NULL
            ORDER BY d.ordinal
            LIMIT %(facts)s
        ) AS s
    GROUP BY said.scope, s.position
)
SELECT
    e.scope, e.id, e.key, e.position, e.received, e.occurred, e.utc_offset, e.session, e.role, e.kind, e.speaker,
    e.content, e.metadata, e.facts, e.starts, e.ends
FROM unnest(%(scopes)s::uuid[], %(positions)s::bigint[], %(times)s::timestamptz[]) AS s (scope, below, before)
CROSS JOIN
    LATERAL (
        SELECT n.*, told.facts, told.starts, told.ends
        FROM episodes AS n
        LEFT JOIN told ON told.scope = n.scope AND told.position = n.position
        WHERE
            n.scope = s.scope AND n.position < s.below AND n.received < s.before
            AND (
                told.position IS NOT NULL OR %(every)s
                OR n.content ~ %(proper)s::text
                OR (n.content = lower(n.content) AND n.content ~* %(proper)s::text)
                OR n.content ~* %(common)s::text
                OR (n.role = 'user' AND n.content ~* %(mine)s::text)
            )
            AND NOT EXISTS (
                SELECT FROM conversations AS c
                WHERE
                    c.scope = n.scope AND c.session = n.session
                    AND n.received <= greatest(CASE WHEN NOT %(archived)s THEN c.archived END, c.tombstoned)
            )
        ORDER BY n.position DESC
        LIMIT %(most)s
    ) AS e
ORDER BY e.scope, e.position DESC
