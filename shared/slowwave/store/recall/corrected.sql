-- Those of these turns from which a correction took back a belief, each with the turn of the last such correction. A
-- turn is left out if another belief from the turn is held and shares more words with the question. The corrections are
-- found by the facts that they made.
--
-- Served by deltas_pkey, facts_of_delta, facts_open_recent, episode_keys_scope_position_key and the primary key of a
-- partition.
WITH corrected AS MATERIALIZED (
    SELECT was.scope, was.position, d.position AS by, was.terms
    FROM unnest(%(facts)s::uuid[]) AS made (id)
    JOIN deltas AS d ON d.id = made.id AND d.kind = 'update' AND d.mode = 'correct'
    JOIN facts AS was ON was.fact = ANY(d.replaces) AND was.scope = d.scope AND was.position < d.position
)
SELECT DISTINCT ON (c.scope, c.position)
    c.scope, c.position, e.occurred AS until, c.by, e.id, e.session, e.occurred, e.received, e.speaker, e.role, e.key,
    date_part('epoch', asked.now - e.occurred)::float8 AS age
FROM (SELECT coalesce(%(now)s::timestamptz, slowwave_now()) AS now) AS asked
CROSS JOIN corrected AS c
JOIN unnest(%(scopes)s::uuid[], %(positions)s::bigint[]) AS turns (scope, position)
    ON turns.scope = c.scope AND turns.position = c.position
JOIN episode_keys AS k ON k.scope = c.scope AND k.position = c.by
CROSS JOIN
    LATERAL (
        SELECT * FROM episodes AS t
        WHERE t.scope = k.scope AND t.position = k.position AND t.received = k.received
        OFFSET 0
    ) AS e
CROSS JOIN
    LATERAL (
        SELECT
            ARRAY(
                SELECT unnest(tsvector_to_array(to_tsvector('english', %(question)s)))
                EXCEPT SELECT unnest(tsvector_to_array(to_tsvector('english', coalesce(e.speaker, ''))))
            ) AS words
    ) AS own
WHERE
    e.occurred <= asked.now
    AND NOT EXISTS (
        SELECT FROM facts AS held
        WHERE
            held.scope = c.scope AND held.position = c.position AND upper_inf(held.recorded)
            AND (SELECT count(*) FROM unnest(own.words) AS said (word) WHERE word = ANY(tsvector_to_array(held.terms)))
            > (SELECT count(*) FROM unnest(own.words) AS said (word) WHERE word = ANY(tsvector_to_array(c.terms)))
    )
ORDER BY c.scope, c.position, c.by DESC
