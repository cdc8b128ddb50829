-- The facts believed in these scopes about the instant *as_of*, as known at *known_at*, with their scope and sources.
--
-- Served by facts_open for the present, else by the scope's part of facts, and by facts_of_delta where they are named;
-- sources by delta_sources_pkey.
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
FROM facts f
JOIN scope_heads h USING (scope)
WHERE
    f.scope = ANY(%(scopes)s::uuid[])
    AND (%(facts)s::uuid[] IS NULL OR f.fact = ANY(%(facts)s::uuid[]))
    AND (%(form)s::text IS NULL OR f.form = %(form)s)
    AND (%(everything)s OR f.valid @> coalesce(%(as_of)s::timestamptz, slowwave_now()))
    AND CASE
        WHEN %(known_at)s::timestamptz IS NULL THEN upper_inf(f.recorded)
        ELSE f.recorded @> %(known_at)s::timestamptz
    END
ORDER BY f.subject, f.predicate, f.object, lower(f.valid), f.version
