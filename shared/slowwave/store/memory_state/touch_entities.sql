-- Counts an access of entities, whose standing the caller has locked.
--
-- Served by standing_pkey.
UPDATE standing s
SET
    access_count = s.access_count + 1,
    last_access = slowwave_now(),
    evidence = slowwave_now(),
    decay_due = coalesce(s.decay_due, slowwave_now())
FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS t (scope, entity)
WHERE
    s.scope = t.scope
    AND s.memory = t.entity
    AND s.kind = 'entity'
