-- Stores items that could not be processed as dead letters, in order. A repeated item increments the count of its open
-- dead letter, which may have the item in another form: readable, or under an earlier data key.
--
-- Served by dead_letters_one_open (scope, pack, episode), even if the scope is not known. The caller has locked the
-- scope or the tenant, so that two writers of the same item do not both find it missing.
WITH new AS MATERIALIZED (
    SELECT
        i.episode, i.category, i.item, min(i.number) AS number, count(*) AS seen,
        (array_agg(i.reason ORDER BY i.number))[1] AS reason, (array_agg(i.forms))[1] AS forms
    FROM
        unnest(
            %(episodes)s::uuid[], %(categories)s::text[], %(reasons)s::text[], %(items)s::text[]::jsonb[],
            %(forms)s::text[]::jsonb[]
        )
        WITH ORDINALITY AS i (episode, category, reason, item, forms, number)
    GROUP BY i.episode, i.category, i.item
),
again AS (
    UPDATE dead_letters d SET seen = d.seen + new.seen
    FROM new
    WHERE
        d.state = 'open' AND d.pack IS NULL AND d.category = new.category
        AND d.item IN (SELECT jsonb_array_elements(new.forms))
        AND d.episode = new.episode AND (d.scope = %(scope)s OR (d.scope IS NULL AND %(scope)s::uuid IS NULL))
    RETURNING new.number
)
INSERT INTO dead_letters (tenant, scope, episode, category, reason, item, seen)
SELECT slowwave_tenant(), %(scope)s::uuid, new.episode, new.category, new.reason, new.item, new.seen
FROM new
WHERE new.number NOT IN (SELECT number FROM again)
ORDER BY new.number
