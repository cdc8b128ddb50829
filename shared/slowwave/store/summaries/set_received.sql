-- Stores the position up to which each session has messages to summarise.
--
-- Served by model_summaries_pkey.
INSERT INTO model_summaries AS t (scope, about, tenant, session, reached)
SELECT %(scope)s, n.about, slowwave_tenant(), n.session, n.reached
FROM unnest(%(abouts)s::text[], %(sessions)s::text[], %(reached)s::bigint[]) AS n (about, session, reached)
ORDER BY n.about
ON CONFLICT (scope, about) DO UPDATE SET reached = excluded.reached WHERE t.reached < excluded.reached
