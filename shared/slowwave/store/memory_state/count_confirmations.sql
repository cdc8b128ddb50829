-- The number of new episodes that confirm each fact and were not among its sources before.
--
-- Served by delta_sources_pkey and deltas_confirming, one lookup per pair: OFFSET 0 forces that, as a planner without
-- statistics would read all sources. The deltas of this run, *ids*, are in the ledger already.
SELECT told.fact, count(*)
FROM unnest(%(facts)s::uuid[], %(episodes)s::uuid[], %(positions)s::bigint[]) AS told (fact, episode, position)
WHERE
    NOT EXISTS (SELECT FROM delta_sources s WHERE s.delta = told.fact AND s.episode = told.episode OFFSET 0)
    AND NOT EXISTS (
        SELECT FROM deltas d JOIN delta_sources s ON s.delta = d.id AND s.episode = told.episode
        WHERE
            d.scope = %(scope)s AND d.fact = told.fact AND d.kind = 'noop' AND d.position = told.position
            AND d.id <> ALL(%(ids)s::uuid[])
    )
GROUP BY told.fact
