-- The state of a pack in a scope before a replay: how far it has read, the claims that people undid, the positions up
-- to the last read one that were erased or became dead letters, the fingerprints of facts that were forgotten for good,
-- and the number of the replay. Claims that a replay left out, or the undo of a replay, do not count as undone by
-- people.
--
-- Served by watermarks_pkey, undos_pkey, undone_pkey, episode_keys_scope_position_key, and the scope's part of
-- dead_letters and of deltas.
WITH here AS (
    SELECT coalesce((SELECT w.position FROM watermarks w WHERE w.scope = %(scope)s AND w.pack = %(pack)s), 0) AS upto
)
SELECT
    here.upto,
    ARRAY(
        SELECT DISTINCT u.delta
        FROM undos o JOIN undone u ON (u.scope, u.undo) = (o.scope, o.undo)
        WHERE o.scope = %(scope)s AND o.applied IS NOT NULL AND o.lifted IS NULL AND o.added IS NULL
    ) AS undone,
    ARRAY(
        SELECT k.position FROM episode_keys k WHERE k.scope = %(scope)s AND k.position <= here.upto AND k.erased
        UNION
        SELECT l.position FROM dead_letters l
        WHERE
            l.scope = %(scope)s AND l.pack = %(pack)s AND l.position <= here.upto AND l.category <> 'conflict'
            AND l.state IN ('open', 'dropped')
    ) AS unread,
    ARRAY(
        SELECT DISTINCT d.fingerprint FROM deltas d
        WHERE d.scope = %(scope)s AND d.pack = '_forget' AND d.mode = 'forget'
    ) AS erased,
    (
        SELECT count(*) + 1 FROM undos o
        WHERE o.scope = %(scope)s AND o.added IS NOT NULL AND o.withdraws IS NULL
    ) AS number
FROM here
