-- Those of these turns whose beliefs about the question have all ended by a given time. Each turn has the end of these
-- beliefs, the turn that ended them, and True if no other belief from the turn is held.
--
-- A belief is about the question if both share words. The speaker's name does not count as a word. Every name of a role
-- that the question names counts. In each turn, the beliefs that share the most words decide. If no belief shares a
-- word, all beliefs decide. If then the turn itself shares a word with the question, the turn says more than its
-- beliefs, and is left out.
--
-- Served by facts_open_recent, deltas_pkey, episode_keys_scope_position_key and the primary key of a partition.
WITH asked AS MATERIALIZED (
    SELECT
        coalesce(%(now)s::timestamptz, slowwave_now()) AS now,
        tsvector_to_array(to_tsvector('english', %(question)s)) AS words,
        tsvector_to_array(to_tsvector('english', %(roles)s)) AS roles
),
believed AS MATERIALIZED (
    SELECT
        f.scope, f.position, f.version, f.ended_by, upper(f.valid) AS until, own.words,
        NOT upper_inf(f.valid) AND upper(f.valid) <= asked.now AS ended,
        (
            SELECT count(*)
            FROM unnest(tsvector_to_array(f.terms)) AS said (lexeme)
            WHERE said.lexeme = ANY(own.words || asked.roles)
        ) AS said,
        own.says
    FROM
        unnest(%(scopes)s::uuid[], %(positions)s::bigint[], %(received)s::timestamptz[])
            AS turns (scope, position, received)
    CROSS JOIN asked
    CROSS JOIN
        LATERAL (
            SELECT words, tsvector_to_array(e.terms) && words AS says
            FROM
                (
                    SELECT * FROM episodes AS t
                    WHERE t.scope = turns.scope AND t.position = turns.position AND t.received = turns.received
                    OFFSET 0
                ) AS e
            CROSS JOIN
                LATERAL (
                    SELECT
                        ARRAY(
                            SELECT word FROM unnest(asked.words) AS every (word)
                            WHERE word <> ALL(tsvector_to_array(to_tsvector('english', coalesce(e.speaker, ''))))
                        ) AS words
                ) AS telling
        ) AS own
    CROSS JOIN
        LATERAL (
            SELECT * FROM facts AS t
            WHERE t.scope = turns.scope AND t.position = turns.position AND upper_inf(t.recorded)
            OFFSET 0
        ) AS f
),
meant AS MATERIALIZED (
    SELECT
        *,
        said = max(said) OVER (PARTITION BY scope, position) AS most,
        bool_and(ended) OVER (PARTITION BY scope, position) AS whole
    FROM believed
),
over AS MATERIALIZED (
    SELECT
        scope, position, bool_or(says) AS says, max(said) AS said, max(until) AS until, bool_and(whole) AS whole,
        (array_agg(ended_by ORDER BY until DESC, version DESC))[1] AS ended_by
    FROM meant
    WHERE most
    GROUP BY scope, position
    HAVING bool_and(ended)
)
SELECT
    over.scope, over.position, over.until, over.whole, k.position AS by, e.id, e.session, e.occurred, e.received,
    e.speaker, e.role, e.key,
    date_part('epoch', asked.now - e.occurred)::float8 AS age
FROM over
CROSS JOIN asked
JOIN deltas AS d ON d.id = over.ended_by
JOIN episode_keys AS k ON k.scope = over.scope AND k.position = d.position
CROSS JOIN
    LATERAL (
        SELECT * FROM episodes AS t
        WHERE t.scope = k.scope AND t.position = k.position AND t.received = k.received
        OFFSET 0
    ) AS e
WHERE
    k.position > over.position
    AND (over.said > 0 OR NOT over.says)
ORDER BY over.scope, over.position
