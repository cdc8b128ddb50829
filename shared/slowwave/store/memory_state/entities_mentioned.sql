-- Upserts the entities of new facts: seen now, no tombstone, and not due for a check while facts are open.
--
-- Served by entities_pkey and standing_pkey. A mention counts as use, but not as an access.
WITH clock AS MATERIALIZED (SELECT slowwave_now() AS now),
mentioned AS MATERIALIZED (
    SELECT entity, name, spelled
    FROM unnest(%(entities)s::uuid[], %(names)s::text[], %(spelled)s::text[]) AS m (entity, name, spelled)
    ORDER BY entity
),
seen AS (
    INSERT INTO entities AS e (scope, entity, tenant, name, first_seen, last_seen, spelled)
    SELECT %(scope)s, entity, slowwave_tenant(), name, clock.now, clock.now, spelled FROM mentioned, clock
    ON CONFLICT (scope, entity) DO UPDATE
        SET
            last_seen = excluded.last_seen, faded = NULL, tombstoned = NULL, due = NULL, spelled = excluded.spelled
)
INSERT INTO standing AS s (scope, memory, tenant, kind, tier, base, created, decay_due)
SELECT %(scope)s, entity, slowwave_tenant(), 'entity', %(tier)s, 1.0, clock.now, clock.now FROM mentioned, clock
ON CONFLICT (scope, memory) DO UPDATE
    SET last_access = greatest(s.last_access, excluded.created), decay_due = coalesce(s.decay_due, excluded.decay_due)
