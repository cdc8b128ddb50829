-- Deletes model summaries of the sessions whose summaries are removed or undone. Each session then waits for a request
-- that does not exist, therefore the next run asks a model to rephrase the quotes that the session still has.
--
-- Served by facts_of_delta, model_summaries_pkey and model_requests_pkey.
WITH silenced AS (
    UPDATE model_summaries AS t
    SET
        covered = t.reached, upto = 0, waiting = 'anew', request = NULL, model = NULL, lines = NULL, rests = '{}',
        space = NULL, embedding = NULL
    FROM
        (
            SELECT f.subject, t.waiting
            FROM facts AS f
            JOIN model_summaries AS t ON (t.scope, t.about) = (f.scope, f.subject)
            WHERE f.scope = %(scope)s AND f.fact = ANY(%(facts)s::uuid[])
        ) AS gone
    WHERE t.scope = %(scope)s AND t.about = gone.subject
    RETURNING gone.waiting
)
UPDATE model_requests AS r SET state = 'void'
FROM silenced AS s
WHERE r.request = s.waiting AND r.state = 'pending'
