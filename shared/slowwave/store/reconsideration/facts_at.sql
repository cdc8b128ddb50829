-- The versions of facts that packs learned from the turns at some positions, in the order they were told.
--
-- Served by facts_open_recent, then deltas_pkey. Packs of jobs and people begin with `_`.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by
FROM facts f
JOIN deltas d ON d.id = f.fact AND NOT starts_with(d.pack, '_')
WHERE f.scope = %(scope)s AND f.position = ANY(%(positions)s::bigint[]) AND upper_inf(f.recorded)
ORDER BY f.position, lower(f.valid), f.version
