-- The facts valid in these scopes at *as_of*, as known at *known_at*, with their scope and sources. Either all facts
-- are returned, or a page of limited size after a given fact.
--
-- An encrypted object is not part of the order, because it changes with the key.
--
-- Served by facts_open for the present, else by the scope's part of facts, and by facts_of_delta if ids are given;
-- sources by delta_sources_pkey, only for facts on the page.
WITH asked AS MATERIALIZED (
    SELECT coalesce(%(as_of)s::timestamptz, slowwave_now()) AS as_of
),
believed AS NOT MATERIALIZED (
    SELECT
        f.*, coalesce(lower(f.valid), 'infinity') AS since,
        CASE WHEN slowwave_is_encrypted(f.object) THEN '' ELSE f.object END AS object_order
    FROM facts AS f
    WHERE
        f.scope = ANY(%(scopes)s::uuid[]) AND f.predicate <> '_erased'
        AND (%(facts)s::uuid[] IS NULL OR f.fact = ANY(%(facts)s::uuid[]))
        AND (%(form)s::text IS NULL OR f.form = %(form)s)
        AND (%(everything)s OR f.valid @> (SELECT asked.as_of FROM asked))
        AND CASE
            WHEN %(known_at)s::timestamptz IS NULL THEN upper_inf(f.recorded)
            ELSE f.recorded @> %(known_at)s::timestamptz
        END
),
page AS (
    SELECT b.*
    FROM believed AS b
    WHERE
        %(after)s::uuid IS NULL
        OR (b.subject, b.predicate, b.object_order, b.since, b.version) > (
            SELECT l.subject, l.predicate, l.object_order, l.since, l.version
            FROM believed AS l
            WHERE l.fact = %(after)s::uuid
            ORDER BY l.since DESC, l.version DESC
            LIMIT 1
        )
    ORDER BY b.subject, b.predicate, b.object_order, b.since, b.version
    LIMIT %(most)s
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
FROM page AS f
JOIN scope_heads AS h USING (scope)
ORDER BY f.subject, f.predicate, f.object_order, f.since, f.version
