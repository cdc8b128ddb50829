-- Inserts versions. Some versions are closed again within the same run. An end of NULL means open.
--
-- Guarded by facts_one_live_version.
INSERT INTO facts (
    scope, tenant, fact, belief, subject, predicate, object, single_valued, valid, recorded,
    confidence, rule, position, session, form, text, terms, tense, ended_by
)
SELECT
    %(scope)s, slowwave_tenant(), fact, belief, subject, predicate, object, single_valued,
    tstzrange(valid_from, valid_to), tstzrange(opened, closed), confidence, rule, position, session, form,
    coalesce(encrypted, text), strip(to_tsvector('english', text)), tense, ended_by
FROM unnest(
    %(facts)s::uuid[], %(beliefs)s::bigint[], %(subjects)s::text[], %(predicates)s::text[], %(objects)s::text[],
    %(single)s::boolean[], %(valid_from)s::timestamptz[], %(valid_to)s::timestamptz[], %(opened)s::timestamptz[],
    %(closed)s::timestamptz[], %(confidences)s::float8[], %(rules)s::text[], %(positions)s::bigint[],
    %(sessions)s::text[], %(forms)s::text[], %(texts)s::text[], %(encrypted)s::text[], %(tenses)s::text[],
    %(ended_by)s::uuid[]
) AS new (
    fact, belief, subject, predicate, object, single_valued, valid_from, valid_to, opened, closed,
    confidence, rule, position, session, form, text, encrypted, tense, ended_by
)
