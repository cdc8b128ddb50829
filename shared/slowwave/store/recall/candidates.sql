-- The memories of these scopes that are nearest to a question, by meaning and by words, with both measures.
--
-- One scan of each scope: episodes, episode_vectors and fact_vectors by their primary keys, live facts by
-- facts_open_recent; archived conversations by conversations_hidden. No index on words or vectors is used. A scope is
-- read whole, because the rarity of a word is its rarity in the scope. This statement is used if a process cannot
-- choose from its cache of the scopes. The statement and the cache give the same result. The user of a scope is called
-- "the user" and by their known name: a question with one of the two matches facts with the other. If only one person
-- speaks there, facts under their name are the user's. A memory without a vector in this space has the similarity that
-- the caller measured, or is found by its words only. A fact of the form `statement` repeats its episode: it does not
-- change word frequencies or average lengths, and takes no place from another memory. So all other results are the
-- same, in the same order, as without such facts.
--
-- A word of the question also matches its near words in part. The nearest word in the memory counts, at most with that
-- word's own rarity. The words that a memory contains are one list of numbers; the words' shares are computed once per
-- list, not once per memory. An episode next to a good match is returned too, as a part of the match counts for it.
-- Full joins are used because they never run as nested loops: for a scope that has grown since the last ANALYZE the
-- planner expects one row, and would compare every memory with every vector. Vectors of closed facts are dropped
-- afterwards, and so are episodes received before their conversation was archived or expired. Memories on the archive
-- tier are left out by standing_pkey, if the policy has such a tier; the filters by form, role, session, time and tier
-- also apply before the best are chosen. A fact has the roles of its source episodes: by delta_sources_pkey,
-- episode_keys_scope_position_key and a partition's primary key, if roles are requested. For the chosen memories, the
-- end and a digest of the text are read, by the primary key of a partition.
WITH called AS MATERIALIZED (
    SELECT lexeme, lexeme = 'user' AS is_user
    FROM unnest(to_tsvector('english', 'user ' || array_to_string(%(called)s::text[], ' ')))
),
sought AS MATERIALIZED (
    SELECT (row_number() OVER (ORDER BY word, weight DESC, lexeme, of_facts))::smallint AS number, *
    FROM (
        SELECT s.word, s.lexeme, s.weight, false AS of_facts
        FROM
            unnest(%(words)s::int[], %(lexemes)s::text[], %(word_weights)s::float8[]) AS s (word, lexeme, weight)
        UNION ALL
        SELECT s.word, other.lexeme, 1.0, true
        FROM unnest(%(words)s::int[], %(lexemes)s::text[], %(word_weights)s::float8[]) AS s (word, lexeme, weight)
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
        ) AS space
),
put_away AS MATERIALIZED (
    SELECT scope, session, greatest(CASE WHEN NOT %(archived)s THEN archived END, tombstoned) AS until
    FROM conversations
    WHERE scope = ANY(%(scopes)s) AND (archived IS NOT NULL OR tombstoned IS NOT NULL)
),
near_episodes AS MATERIALIZED (
    SELECT v.scope, v.position, nullif(1 - (v.embedding <=> asked.vector), 'NaN') AS similarity
    FROM asked JOIN episode_vectors AS v ON v.space = asked.space
    WHERE v.scope = ANY(%(scopes)s::uuid[])
    UNION ALL
    SELECT n.scope, n.position, n.similarity
    FROM asked
    CROSS JOIN
        unnest(%(near_scopes)s::uuid[], %(near_positions)s::bigint[], %(near_similarities)s::float8[])
            AS n (scope, position, similarity)
    WHERE NOT EXISTS (
        SELECT FROM episode_vectors AS v WHERE v.scope = n.scope AND v.position = n.position AND v.space = asked.space
    )
),
near_facts AS MATERIALIZED (
    SELECT v.scope, v.fact, nullif(1 - (v.embedding <=> asked.vector), 'NaN') AS similarity
    FROM asked JOIN fact_vectors AS v ON v.space = asked.space
    WHERE v.scope = ANY(%(scopes)s)
),
episodes_here AS MATERIALIZED (
    SELECT
        scope, position, id, received, occurred, session, speaker, role, key,
        length(terms) AS length, tsvector_to_array(terms) AS lexemes
    FROM episodes
    WHERE scope = ANY(%(scopes)s::uuid[])
),
episode_hits AS MATERIALIZED (
    SELECT e.scope, e.position, array_agg(sought.number ORDER BY sought.number) AS hits
    FROM episodes_here AS e
    CROSS JOIN LATERAL unnest(e.lexemes) AS contained (lexeme)
    JOIN sought ON sought.lexeme = contained.lexeme AND NOT sought.of_facts
    GROUP BY e.scope, e.position
),
fact_hits AS MATERIALIZED (
    SELECT f.scope, f.fact, array_agg(sought.number ORDER BY sought.number) AS hits
    FROM facts AS f
    CROSS JOIN LATERAL unnest(tsvector_to_array(f.terms)) AS contained (lexeme)
    JOIN sought ON sought.lexeme = contained.lexeme
    WHERE f.scope = ANY(%(scopes)s) AND upper_inf(f.recorded)
    GROUP BY f.scope, f.fact
),
facts_here AS (
    SELECT
        scope, position, fact, lower(recorded) AS received, coalesce(lower(valid), lower(recorded)) AS occurred,
        session, subject, text, form, confidence, length(terms) AS length
    FROM asked CROSS JOIN facts
    WHERE scope = ANY(%(scopes)s) AND upper_inf(recorded) AND valid @> asked.now
),
memories AS MATERIALIZED (
    SELECT
        false AS is_fact, 'episode' AS form, scope, position, id,
        CASE WHEN received <= until THEN NULL ELSE received END AS received,
        occurred, session, speaker, role, key, '' AS text, NULL::float8 AS confidence, length, hits, similarity,
        true AS counted
    FROM episodes_here
    FULL JOIN episode_hits USING (scope, position)
    FULL JOIN near_episodes USING (scope, position)
    FULL JOIN put_away USING (scope, session)
    UNION ALL
    SELECT
        true, form, scope, position, fact, received, occurred, session, subject, NULL, '',
        text, confidence, length, hits, similarity, form <> 'statement'
    FROM facts_here
    FULL JOIN fact_hits USING (scope, fact)
    FULL JOIN near_facts USING (scope, fact)
),
alone AS MATERIALIZED (
    SELECT scope, min(speaker) AS name
    FROM memories
    WHERE %(of_user)s AND role = 'user' AND speaker IS NOT NULL
    GROUP BY scope
    HAVING min(speaker) = max(speaker)
),
masks AS MATERIALIZED (
    SELECT
        hits, count(*) FILTER (WHERE counted)::float8 AS memories,
        coalesce(sum(length) FILTER (WHERE counted), 0)::float8 AS length
    FROM memories
    WHERE received IS NOT NULL
    GROUP BY hits
),
scanned AS MATERIALIZED (
    SELECT memories, greatest(length / nullif(memories, 0), 1) AS length
    FROM (
        SELECT sum(memories) AS memories, sum(length) AS length FROM masks
    ) AS every
),
rarities AS MATERIALIZED (
    SELECT
        sought.*, ln(1 + (scanned.memories - containing.found + 0.5) / (containing.found + 0.5)) AS rarity
    FROM scanned
    CROSS JOIN sought
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(masks.memories), 0) AS found
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
lifted AS MATERIALIZED (
    SELECT
        *,
        own + %(lift)s::float8 * coalesce(
            max(own) OVER (
                PARTITION BY scope ORDER BY position
                RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW
            ),
            0
        ) AS reached
    FROM matched
    WHERE NOT is_fact
    UNION ALL
    SELECT *, own FROM matched WHERE is_fact
),
nearest AS MATERIALIZED (
    SELECT best.*
    FROM (VALUES (false), (true)) AS kinds (retold)
    CROSS JOIN LATERAL (
        SELECT *
        FROM lifted
        WHERE
            (reached > 0 OR id = ANY(%(beside)s::uuid[])) AND (form = 'statement') = kinds.retold
            AND (%(shelved)s OR NOT EXISTS (
                SELECT FROM standing AS s WHERE s.scope = lifted.scope AND s.memory = lifted.id AND s.tier = 'archive'
            ))
            AND (%(forms)s::text[] IS NULL OR form = ANY(%(forms)s::text[]))
            AND (%(tiers)s::text[] IS NULL OR coalesce(
                (SELECT s.tier FROM standing AS s WHERE s.scope = lifted.scope AND s.memory = lifted.id), %(entry)s
            ) = ANY(%(tiers)s::text[]))
            AND (%(sessions)s::text[] IS NULL OR session = ANY(%(sessions)s::text[]))
            AND (%(exclude_sessions)s::text[] IS NULL OR session <> ALL(%(exclude_sessions)s::text[]))
            AND (%(since)s::timestamptz IS NULL OR occurred >= %(since)s::timestamptz)
            AND (%(until)s::timestamptz IS NULL OR occurred < %(until)s::timestamptz)
            AND (%(roles)s::text[] IS NULL OR role = ANY(%(roles)s::text[]) OR (is_fact AND EXISTS (
                SELECT
                FROM delta_sources AS s
                JOIN episode_keys AS k ON k.scope = coalesce(s.origin, lifted.scope) AND k.position = s.position
                JOIN episodes AS e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
                WHERE s.delta = lifted.id AND e.role = ANY(%(roles)s::text[])
            )))
        ORDER BY id = ANY(%(beside)s::uuid[]) DESC, reached DESC, occurred DESC, is_fact, id
        LIMIT %(most)s + cardinality(%(beside)s::uuid[])
    ) AS best
)
SELECT
    n.form, n.id, n.scope, n.position, n.session, n.occurred, n.received,
    extract(EPOCH FROM asked.now - n.occurred)::float8 AS age_seconds,
    n.speaker, n.role, n.close AS similarity, n.keyword, n.key, n.text, n.confidence,
    CASE WHEN n.is_fact THEN (
        SELECT
            jsonb_agg(
                jsonb_build_array(s.episode, s.key, s.position, s.span_start, s.span_end, s.origin) ORDER BY s.ordinal
            )
        FROM delta_sources AS s
        WHERE s.delta = n.id
    ) END AS sources,
    n.is_fact AND lower(n.speaker) IN ('user', lower(c.name), lower(alone.name)) AS of_user,
    n.words, n.word_shares, n.saturation, told.ending, told.gist, n.reached
FROM asked
CROSS JOIN nearest AS n
LEFT JOIN alone ON alone.scope = n.scope
LEFT JOIN LATERAL (
    SELECT
        slowwave_right(e.content, %(end_characters)s) AS ending,
        CASE WHEN NOT slowwave_is_encrypted(e.content) THEN md5(lower(btrim(e.content))) END AS gist
    FROM episodes AS e
    WHERE NOT n.is_fact AND e.scope = n.scope AND e.position = n.position AND e.received = n.received
    OFFSET 0
) AS told ON true
LEFT JOIN unnest(%(called_scopes)s::uuid[], %(called)s::text[]) AS c (scope, name) ON c.scope = n.scope
ORDER BY n.reached DESC, n.occurred DESC, n.is_fact, n.id
