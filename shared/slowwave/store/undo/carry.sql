-- Names the promotions of facts that are opened again by their new ids; deletes the standing under the old ids.
--
-- Served by promotions_source, promotions_one_live and standing_pkey.
WITH moved AS (SELECT * FROM unnest(%(old)s::uuid[], %(new)s::uuid[]) AS moved (old, new)),
sources AS (
    UPDATE promotions p SET source_fact = moved.new
    FROM moved
    WHERE p.source_fact = moved.old AND p.source_scope = %(scope)s AND p.undone IS NULL
),
targets AS (
    UPDATE promotions p SET fact = moved.new
    FROM moved
    WHERE p.target = %(scope)s AND p.fact = moved.old AND p.undone IS NULL
)
DELETE FROM standing s USING moved WHERE s.scope = %(scope)s AND s.memory = moved.old
