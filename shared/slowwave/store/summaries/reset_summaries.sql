-- Resets model summaries that cite the given positions of a scope, or that have pending requests about these positions.
-- Summaries of nodes are deleted. Summaries of sessions are emptied, and sessions are summarised again.
-- If only the words of a summary match, the model is asked again when the session has new turns.
--
-- Served by model_summaries_pkey: a scope's own rows.
WITH hit AS MATERIALIZED (
    SELECT about, session FROM model_summaries
    WHERE
        scope = %(scope)s
        AND (
            rests && %(positions)s::bigint[] OR waiting = ANY(%(requests)s::text[])
            OR request = ANY(%(requests)s::text[]) OR coalesce(request, about) = ANY(%(matching)s::text[])
        )
),
nodes AS (
    DELETE FROM model_summaries AS t USING hit AS h
    WHERE t.scope = %(scope)s AND t.about = h.about AND h.session IS NULL
)
UPDATE model_summaries AS t
SET
    covered = CASE
        WHEN coalesce(t.request, t.about) = ANY(%(matching)s::text[]) AND NOT t.rests && %(positions)s::bigint[]
            THEN t.covered
        ELSE 0
    END,
    upto = 0, waiting = NULL, request = NULL, model = NULL, lines = NULL, rests = '{}', space = NULL,
    embedding = NULL
FROM hit AS h
WHERE t.scope = %(scope)s AND t.about = h.about AND h.session IS NOT NULL
