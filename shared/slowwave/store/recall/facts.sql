-- The facts of these scopes nearest to a question, the same number of facts of the form `statement`, and the rarity of
-- the question's words.
--
-- One scan of the live facts of each scope by facts_open_recent and of their vectors by fact_vectors_pkey; for the
-- results, the sources by delta_sources_pkey. The word counts of episodes are parameters, as a word's rarity covers
-- both. The first row has the rarity of each word in order; if no fact matches, it is the only row. Everything else is
-- as in the candidates statement, which also reads the episodes.
WITH called AS MATERIALIZED (
    SELECT lexeme, lexeme = 'user' AS is_user
    FROM unnest(to_tsvector('english', 'user ' || array_to_string(%(called)s::text[], ' ')))
),
sought AS MATERIALIZED (
    SELECT (row_number() OVER (ORDER BY of_facts, ordinal))::smallint AS number, *
    FROM (
        SELECT s.word, s.lexeme, s.weight, s.found, false AS of_facts, s.ordinal
        FROM
            unnest(%(words)s::int[], %(lexemes)s::text[], %(word_weights)s::float8[], %(rest_found)s::float8[])
            WITH ORDINALITY AS s (word, lexeme, weight, found, ordinal)
        UNION ALL
        SELECT s.word, other.lexeme, 1.0, 0, true, s.ordinal
        FROM
            unnest(%(words)s::int[], %(lexemes)s::text[], %(word_weights)s::float8[])
            WITH ORDINALITY AS s (word, lexeme, weight, ordinal)
        JOIN called AS one ON one.lexeme = s.lexeme
        JOIN called AS other ON other.is_user <> one.is_user
        WHERE s.weight = 1
    ) AS each_of
),
asked AS MATERIALIZED (
    SELECT
        coalesce(%(now)s::timestamptz, slowwave_now()) AS now,
        %(vector)s::vector AS vector,
        (
            SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, vector_dims(%(vector)s::vector))
        ) AS space,
        (
            SELECT
                string_agg(
                    '''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', '|'
                )::tsquery
            FROM sought
        ) AS any_word
),
facts_here AS MATERIALIZED (
    SELECT
        f.scope, f.position, f.fact, lower(f.recorded) AS received,
        coalesce(lower(f.valid), lower(f.recorded)) AS occurred,
        f.session, f.subject, f.text, f.form, f.confidence, length(f.terms) AS length,
        CASE WHEN f.terms @@ asked.any_word THEN (
            SELECT array_agg(sought.number ORDER BY sought.number)
            FROM unnest(tsvector_to_array(f.terms)) AS contained (lexeme)
            JOIN sought ON sought.lexeme = contained.lexeme
        ) END AS hits
    FROM asked CROSS JOIN facts AS f
    WHERE f.scope = ANY(%(scopes)s) AND upper_inf(f.recorded) AND f.valid @> asked.now
),
near_facts AS MATERIALIZED (
    SELECT v.scope, v.fact, nullif(1 - (v.embedding <=> asked.vector), 'NaN') AS similarity
    FROM asked JOIN fact_vectors AS v ON v.space = asked.space
    WHERE v.scope = ANY(%(scopes)s)
),
memories AS MATERIALIZED (
    SELECT facts_here.*, near_facts.similarity
    FROM facts_here
    FULL JOIN near_facts USING (scope, fact)
),
masks AS MATERIALIZED (
    SELECT
        hits, count(*) FILTER (WHERE form <> 'statement')::float8 AS memories,
        coalesce(sum(length) FILTER (WHERE form <> 'statement'), 0)::float8 AS length
    FROM memories
    WHERE received IS NOT NULL
    GROUP BY hits
),
scanned AS MATERIALIZED (
    SELECT memories, greatest(length / nullif(memories, 0), 1) AS length
    FROM (
        SELECT
            coalesce(sum(memories), 0) + %(rest_memories)s::float8 AS memories,
            coalesce(sum(length), 0) + %(rest_length)s::float8 AS length
        FROM masks
    ) AS every
),
rarities AS MATERIALIZED (
    SELECT
        sought.*, ln(1 + (scanned.memories - containing.found + 0.5) / (containing.found + 0.5)) AS rarity
    FROM scanned
    CROSS JOIN sought
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(masks.memories), 0) + sought.found AS found
        FROM masks
        WHERE
            hits && CASE WHEN sought.weight = 1 THEN ARRAY(
                SELECT same.number FROM sought AS same WHERE same.word = sought.word AND same.weight = 1
            ) ELSE ARRAY[sought.number] END
    ) AS containing
),
of_words AS MATERIALIZED (
    SELECT word, rarity, rarity / sum(rarity) OVER () AS most FROM rarities WHERE weight = 1 AND NOT of_facts
),
said AS MATERIALIZED (
    SELECT
        masks.hits,
        of_words.word,
        max(of_words.most * r.weight * CASE WHEN r.weight = 1 THEN 1 ELSE least(1, r.rarity / of_words.rarity) END)
            AS share
    FROM masks
    CROSS JOIN LATERAL unnest(masks.hits) AS hit (number)
    JOIN rarities AS r ON r.number = hit.number
    JOIN of_words ON of_words.word = r.word
    GROUP BY masks.hits, of_words.word
),
shares AS MATERIALIZED (
    SELECT
        hits, sum(share) AS share, array_agg(word ORDER BY word) AS words, array_agg(share ORDER BY word) AS word_shares
    FROM said
    GROUP BY hits
),
matched AS MATERIALIZED (
    SELECT *, %(similarity)s::float8 * close + %(keyword)s::float8 * keyword AS own
    FROM (
        SELECT
            m.*,
            greatest(0, coalesce(m.similarity, 0)) AS close,
            shares.words, shares.word_shares, saturated.saturation,
            least(1, coalesce(shares.share * saturated.saturation, 0)) AS keyword
        FROM memories AS m
        LEFT JOIN shares USING (hits)
        CROSS JOIN scanned
        CROSS JOIN
            LATERAL (
                SELECT
                    (%(k1)s::float8 + 1)
                    / (
                        1
                        + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * coalesce(m.length, 0) / scanned.length)
                    )
                        AS saturation
            ) AS saturated
        WHERE m.received IS NOT NULL
    ) AS measured
),
nearest AS MATERIALIZED (
    SELECT best.*
    FROM (VALUES (false), (true)) AS kinds (retold)
    CROSS JOIN LATERAL (
        SELECT *
        FROM matched AS m
        WHERE
            (own > 0 OR fact = ANY(%(beside)s::uuid[])) AND (form = 'statement') = kinds.retold
            AND (%(shelved)s OR NOT EXISTS (
                SELECT FROM standing AS s WHERE s.scope = m.scope AND s.memory = m.fact AND s.tier = 'archive'
            ))
            AND (%(forms)s::text[] IS NULL OR form = ANY(%(forms)s::text[]))
            AND (%(sessions)s::text[] IS NULL OR session = ANY(%(sessions)s::text[]))
            AND (%(exclude_sessions)s::text[] IS NULL OR session <> ALL(%(exclude_sessions)s::text[]))
            AND (%(since)s::timestamptz IS NULL OR occurred >= %(since)s::timestamptz)
            AND (%(until)s::timestamptz IS NULL OR occurred < %(until)s::timestamptz)
            AND (%(roles)s::text[] IS NULL OR EXISTS (
                SELECT
                FROM delta_sources AS s
                JOIN episode_keys AS k ON k.scope = coalesce(s.origin, m.scope) AND k.position = s.position
                JOIN episodes AS e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
                WHERE s.delta = m.fact AND e.role = ANY(%(roles)s::text[])
            ))
        ORDER BY fact = ANY(%(beside)s::uuid[]) DESC, own DESC, occurred DESC, fact
        LIMIT %(most)s + cardinality(%(beside)s::uuid[])
    ) AS best
)
SELECT
    n.form, n.fact AS id, n.scope, n.position, n.session, n.occurred, n.received,
    extract(EPOCH FROM asked.now - n.occurred)::float8 AS age_seconds,
    n.subject AS speaker, NULL AS role, n.close AS similarity, n.keyword, '' AS key, n.text, n.confidence,
    (
        SELECT
            jsonb_agg(
                jsonb_build_array(s.episode, s.key, s.position, s.span_start, s.span_end, s.origin) ORDER BY s.ordinal
            )
        FROM delta_sources AS s
        WHERE s.delta = n.fact
    ) AS sources,
    lower(n.subject) IN ('user', lower(c.name), lower(a.name)) AS of_user,
    n.words, n.word_shares, n.saturation, NULL AS ending, NULL AS gist, n.own AS reached,
    CASE WHEN row_number() OVER (ORDER BY n.own DESC NULLS LAST, n.fact) = 1 THEN ARRAY(
        SELECT rarity FROM rarities WHERE NOT of_facts ORDER BY number
    ) END AS rarities,
    scanned.length AS scanned_length
FROM asked
CROSS JOIN scanned
LEFT JOIN nearest AS n ON true
LEFT JOIN unnest(%(alone_scopes)s::uuid[], %(alone)s::text[]) AS a (scope, name) ON a.scope = n.scope
LEFT JOIN unnest(%(called_scopes)s::uuid[], %(called)s::text[]) AS c (scope, name) ON c.scope = n.scope
ORDER BY n.own DESC NULLS LAST, n.occurred DESC, n.fact
