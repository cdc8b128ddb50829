-- Increments the version of a scope's graph, once per run even if the run has several steps.
--
-- Served by graph_versions_pkey, from its newest end. Only the holder of the scope's lease writes here.
WITH last AS (
    SELECT version, run FROM graph_versions WHERE scope = %(scope)s ORDER BY version DESC LIMIT 1
),
same AS (
    UPDATE graph_versions g
    SET
        at = %(at)s, added = g.added + %(added)s, confirmed = g.confirmed + %(confirmed)s,
        ended = g.ended + %(ended)s
    FROM last
    WHERE g.scope = %(scope)s AND g.version = last.version AND last.run = %(run)s::bigint
    RETURNING g.version
)
INSERT INTO graph_versions (scope, version, tenant, run, at, added, confirmed, ended)
SELECT
    %(scope)s, coalesce((SELECT version FROM last), 0) + 1, slowwave_tenant(), %(run)s, %(at)s, %(added)s,
    %(confirmed)s, %(ended)s
WHERE NOT EXISTS (SELECT FROM same)
