-- The canaries that read in a night, each with the number of its scopes and runs.
--
-- Served by runs_finished (finished) WHERE outcome = 'ok', and canaries_pkey.
SELECT r.pack, r.version, count(DISTINCT r.scope) AS scopes, count(*) AS runs
FROM runs r
JOIN canaries c USING (pack, version)
JOIN packs p USING (pack)
WHERE
    r.tenant = %(tenant)s AND r.outcome = 'ok' AND r.finished >= %(since)s AND r.finished < %(until)s
    AND p.version <> r.version
GROUP BY r.pack, r.version
ORDER BY r.pack, r.version
