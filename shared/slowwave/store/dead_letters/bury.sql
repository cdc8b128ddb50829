-- Keeps items that could not be stored as dead letters, in their order, except those that are open already.
--
-- Served by dead_letters_one_open (scope, pack, episode), also where the scope is not known. A lock on the scope, or
-- on the tenant, was taken before, so that two who bring the same item do not both find it missing.
INSERT INTO dead_letters (tenant, scope, episode, category, reason, item)
SELECT slowwave_tenant(), %(scope)s::uuid, new.episode, new.category, new.reason, new.item
FROM (
    SELECT DISTINCT ON (i.episode, i.category, i.item) i.*
    FROM
        unnest(%(episodes)s::uuid[], %(categories)s::text[], %(reasons)s::text[], %(items)s::text[]::jsonb[])
        WITH ORDINALITY AS i (episode, category, reason, item, number)
    ORDER BY i.episode, i.category, i.item, i.number
) AS new
WHERE
    NOT EXISTS (
        SELECT
        FROM dead_letters d
        WHERE
            d.state = 'open' AND d.pack IS NULL AND d.category = new.category AND d.item = new.item
            AND d.episode = new.episode AND (d.scope = %(scope)s OR (d.scope IS NULL AND %(scope)s::uuid IS NULL))
    )
ORDER BY new.number
