-- A limited number of versions of a fact's belief, in the order in which they were recorded. Each version has valid
-- time, recorded time, scope and sources.
--
-- Served by facts_of_delta and facts_of_belief; sources by delta_sources_pkey.
WITH asked AS MATERIALIZED (
    SELECT scope, belief FROM facts WHERE fact = %(fact)s LIMIT 1
)
SELECT
    f.fact, f.subject, f.predicate, f.object, lower(f.valid) AS valid_from, upper(f.valid) AS valid_to,
    lower(f.recorded) AS recorded_from, upper(f.recorded) AS recorded_to, f.confidence, f.rule, f.session,
    f.form, f.text, f.tense,
    h.tenant, h.user_id, h.agent, h.channel,
    (SELECT
        jsonb_agg(
            jsonb_build_array(s.episode, s.key, s.position, s.span_start, s.span_end, s.origin) ORDER BY s.ordinal
        )
    FROM delta_sources s WHERE s.delta = f.fact) AS sources
FROM asked
JOIN facts AS f
    ON f.belief = asked.belief AND f.scope = asked.scope
JOIN scope_heads AS h ON h.scope = f.scope
WHERE f.predicate <> '_erased'
ORDER BY lower(f.recorded), lower(f.valid) NULLS FIRST, f.version
LIMIT %(most)s;
