-- Resets model summaries that cite the given positions of a scope, or that have pending requests about these positions.
-- Summaries of nodes are deleted. Summaries of sessions are emptied, and sessions are summarised again.
--
-- Served by model_summaries_pkey: a scope's own rows.
WITH hit AS MATERIALIZED (
    SELECT about, session FROM model_summaries
    WHERE
        scope = %(scope)s
        AND (
            rests && %(positions)s::bigint[] OR waiting = ANY(%(requests)s::text[])
            OR request = ANY(%(requests)s::text[])
        )
),
nodes AS (
    DELETE FROM model_summaries AS t USING hit AS h
    WHERE t.scope = %(scope)s AND t.about = h.about AND h.session IS NULL
)
UPDATE model_summaries AS t
SET
    covered = 0, upto = 0, waiting = NULL, request = NULL, model = NULL, lines = NULL, rests = '{}', space = NULL,
    embedding = NULL
FROM hit AS h
WHERE t.scope = %(scope)s AND t.about = h.about AND h.session IS NOT NULL
