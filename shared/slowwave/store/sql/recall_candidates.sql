-- The memories of these scopes that lie nearest to a question, by meaning and by words, with both measures.
--
-- One scan of each scope: episodes by their primary key, episode_vectors by its, live facts by facts_open, fact_vectors
-- by its primary key. No index on words or vectors is used, and none is needed: a scope is read whole, because the
-- rarity of a word is its rarity in the scope. What is not embedded in this space yet is found by its words alone.
WITH asked AS MATERIALIZED (
    SELECT
        coalesce(%(now)s::timestamptz, slowwave_now()) AS now,
        %(vector)s::vector AS vector,
        (SELECT space FROM embedding_spaces WHERE name = %(space)s) AS space
),
words AS MATERIALIZED (
    SELECT
        row_number() OVER (ORDER BY positions[1], lexeme) AS word,
        ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''')::tsquery AS query
    FROM unnest(to_tsvector('english', %(question)s))
    ORDER BY word
    LIMIT %(most_words)s
),
memories AS MATERIALIZED (
    SELECT
        false AS is_fact, e.scope, e.position, e.received, e.id, e.occurred, 0::bigint AS version,
        length(e.terms) AS length,
        (SELECT array_agg(word) FROM words WHERE e.terms @@ query) AS hits,
        coalesce(greatest(0, 1 - (v.embedding <=> asked.vector)), 0) AS similarity
    FROM asked
    CROSS JOIN episodes AS e
    LEFT JOIN episode_vectors AS v
        ON v.scope = e.scope AND v.position = e.position AND v.space = asked.space AND v.scope = ANY (%(scopes)s)
    WHERE e.scope = ANY (%(scopes)s)
    UNION ALL
    SELECT
        true, f.scope, f.position, lower(f.recorded), f.fact, coalesce(lower(f.valid), lower(f.recorded)), f.version,
        length(f.terms),
        (SELECT array_agg(word) FROM words WHERE f.terms @@ query),
        coalesce(greatest(0, 1 - (v.embedding <=> asked.vector)), 0)
    FROM asked
    CROSS JOIN facts AS f
    LEFT JOIN fact_vectors AS v
        ON v.scope = f.scope AND v.fact = f.fact AND v.space = asked.space AND v.scope = ANY (%(scopes)s)
    WHERE f.scope = ANY (%(scopes)s) AND upper_inf(f.recorded) AND f.valid @> asked.now
),
scanned AS (
    SELECT count(*) AS memories, greatest(avg(length), 1) AS length FROM memories
),
rarities AS (
    SELECT array_agg(rarity ORDER BY word) AS of_word, sum(rarity) AS in_question
    FROM (
        SELECT word, ln(1 + (max(scanned.memories) - count(hit) + 0.5) / (count(hit) + 0.5))::float8 AS rarity
        FROM scanned
        CROSS JOIN words
        LEFT JOIN (SELECT unnest(hits) AS hit FROM memories) AS found ON found.hit = word
        GROUP BY word
    ) AS each
),
measured AS (
    SELECT
        m.*,
        CASE WHEN m.hits IS NULL THEN 0 ELSE least(
            1,
            (SELECT sum(r.of_word[hit]) FROM unnest(m.hits) AS hit) / r.in_question
            * (%(k1)s::float8 + 1)
            / (1 + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * m.length / s.length::float8))
        ) END AS keyword
    FROM memories AS m
    CROSS JOIN scanned AS s
    CROSS JOIN rarities AS r
),
matched AS (
    SELECT *, %(similarity)s::float8 * similarity + %(keyword)s::float8 * keyword AS own FROM measured
),
lifted AS (
    SELECT
        *,
        own + %(lift)s::float8 * coalesce(
            max(own) OVER (
                PARTITION BY is_fact, scope ORDER BY position
                ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW
            ),
            0
        ) AS reached
    FROM matched
),
nearest AS (
    SELECT *
    FROM lifted
    WHERE reached > 0
    ORDER BY reached DESC, occurred DESC, is_fact, id
    LIMIT %(most)s
)
SELECT
    n.is_fact, n.id, n.scope, n.position, n.occurred, n.received, n.similarity, n.keyword,
    extract(epoch FROM asked.now - n.occurred)::float8 AS age_seconds,
    coalesce(e.session, f.session) AS session,
    coalesce(e.speaker, f.subject) AS speaker,
    e.key,
    f.subject || ' ' || replace(f.predicate, '_', ' ') || ' ' || f.object AS text,
    f.confidence,
    sources.episodes, sources.keys, sources.positions, sources.starts, sources.ends
FROM asked
CROSS JOIN nearest AS n
LEFT JOIN episodes AS e
    ON NOT n.is_fact AND e.scope = n.scope AND e.position = n.position AND e.received = n.received
LEFT JOIN facts AS f ON n.is_fact AND f.version = n.version
LEFT JOIN LATERAL (
    SELECT
        array_agg(episode ORDER BY ordinal) AS episodes, array_agg(key ORDER BY ordinal) AS keys,
        array_agg(s.position ORDER BY ordinal) AS positions, array_agg(span_start ORDER BY ordinal) AS starts,
        array_agg(span_end ORDER BY ordinal) AS ends
    FROM delta_sources AS s
    WHERE n.is_fact AND s.delta = n.id
) AS sources ON true
ORDER BY n.reached DESC, n.occurred DESC, n.is_fact, n.id
