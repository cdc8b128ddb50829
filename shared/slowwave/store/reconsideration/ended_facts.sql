-- Facts that packs ended or replaced since a given time, each with the delta that ended the fact and the delta's
-- position.
--
-- Served by deltas_scope_recorded_key or deltas_in_order, then facts_of_delta.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by, told.position AS told
FROM (
    SELECT id, position, replaces FROM deltas
    WHERE
        scope = %(scope)s AND recorded > %(since)s::timestamptz AND kind IN ('update', 'delete')
        AND NOT starts_with(pack, '_')
    ORDER BY recorded DESC
    LIMIT %(most)s
) AS told
JOIN facts f ON f.fact = ANY(told.replaces) AND f.ended_by = told.id AND f.scope = %(scope)s AND upper_inf(f.recorded)
ORDER BY told.position, told.id, f.version
