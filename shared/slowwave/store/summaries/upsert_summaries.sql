-- Upserts model summaries of a scope.
--
-- Served by model_summaries_pkey.
INSERT INTO model_summaries AS t (
    scope, about, tenant, session, reached, covered, upto, waiting, request, model, lines, rests
)
SELECT
    %(scope)s, n.about, slowwave_tenant(), n.session, n.reached, n.covered, n.upto, n.waiting, n.request, n.model,
    n.lines::jsonb, n.rests::bigint[]
FROM
    unnest(
        %(abouts)s::text[], %(sessions)s::text[], %(reached)s::bigint[], %(covered)s::bigint[], %(upto)s::bigint[],
        %(waiting)s::text[], %(requests)s::text[], %(models)s::text[], %(lines)s::text[], %(rests)s::text[]
    ) AS n (about, session, reached, covered, upto, waiting, request, model, lines, rests)
ORDER BY n.about
ON CONFLICT (scope, about) DO UPDATE
    SET
        reached = excluded.reached, covered = excluded.covered, upto = excluded.upto, waiting = excluded.waiting,
        request = excluded.request, model = excluded.model, lines = excluded.lines, rests = excluded.rests,
        space = NULL, embedding = NULL
