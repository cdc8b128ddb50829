-- The latest versions of facts that packs learned since a given time, in the order in which the facts were told. Facts
-- that have ended since are included, because beliefs that they ended stay ended.
--
-- Served by deltas_scope_recorded_key or deltas_in_order, then facts_of_delta. Packs of jobs and people begin with `_`.
-- OFFSET keeps the order of the joins (see `beliefs/news/worded`), and IS NOT DISTINCT keeps Postgres from reading the
-- whole scope for each delta.
SELECT f.*
FROM (
    SELECT id FROM deltas
    WHERE
        scope = %(scope)s AND recorded > %(since)s::timestamptz AND kind IN ('add', 'update')
        AND NOT starts_with(pack, '_')
    ORDER BY recorded DESC
    LIMIT %(most)s
) AS told
CROSS JOIN
    LATERAL (
        SELECT
            f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
            upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
            f.form, f.text, f.tense, f.ended_by
        FROM facts AS f
        WHERE f.fact = told.id AND f.scope IS NOT DISTINCT FROM %(scope)s AND upper_inf(f.recorded)
        OFFSET 0
    ) AS f
ORDER BY f.position, f.valid_from, f.version
