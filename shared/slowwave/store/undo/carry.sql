-- Moves the promotions and the strategies of *old* facts to the *new* ids of facts that are opened again, and queues
-- these promotions for review; deletes the standing of all *old* facts, which are closed. A strategy whose fact is not
-- opened again loses its fact. Returns the scopes whose promotions are to be reviewed.
--
-- Served by promotions_source, promotions_one_live, standing_pkey, and the scope's part of strategies.
WITH moved AS (SELECT * FROM unnest(%(old)s::uuid[], %(new)s::uuid[]) AS moved (old, new)),
sources AS (
    UPDATE promotions p SET source_fact = moved.new, due = slowwave_now()
    FROM moved
    WHERE
        p.source_fact = moved.old AND p.source_scope = %(scope)s AND p.undone IS NULL AND moved.new IS NOT NULL
    RETURNING p.target
),
targets AS (
    UPDATE promotions p SET fact = moved.new
    FROM moved
    WHERE p.target = %(scope)s AND p.fact = moved.old AND p.undone IS NULL AND moved.new IS NOT NULL
),
ways AS (
    UPDATE strategies s SET fact = moved.new FROM moved WHERE s.scope = %(scope)s AND s.fact = moved.old
),
stood AS (DELETE FROM standing s USING moved WHERE s.scope = %(scope)s AND s.memory = moved.old)
SELECT DISTINCT target FROM sources ORDER BY target
