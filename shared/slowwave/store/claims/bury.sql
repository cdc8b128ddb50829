-- Keeps an item that could not be stored as a dead letter, unless the very same one is open already.
--
-- Served by dead_letters_one_open (scope, pack, episode), also where the scope is not known. A lock on the
-- episode was taken before, so that two who bring the same item do not both find it missing.
INSERT INTO dead_letters (tenant, scope, episode, category, reason, item)
SELECT slowwave_tenant(), new.scope, new.episode, %(category)s, %(reason)s, new.item
FROM (SELECT %(scope)s::uuid AS scope, %(episode)s::uuid AS episode, %(item)s::jsonb AS item) AS new
WHERE NOT EXISTS (
    SELECT
    FROM dead_letters d
    WHERE d.state = 'open' AND d.pack IS NULL AND d.category = %(category)s AND d.item = new.item
        AND d.episode = new.episode AND (d.scope = new.scope OR (d.scope IS NULL AND new.scope IS NULL))
)
