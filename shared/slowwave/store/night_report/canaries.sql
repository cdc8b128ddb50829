-- The versions of packs with a canary that read in a night: the canaries, and the installed versions beside them, each
-- with the number of its scopes, runs and episodes, and of the beliefs that it learned, and changed or ended.
--
-- Served by runs_finished (finished) WHERE outcome = 'ok', and canaries_pkey.
SELECT
    r.pack, r.version, r.version = p.version AS installed, count(DISTINCT r.scope) AS scopes, count(*) AS runs,
    sum(coalesce((r.counts ->> 'episodes')::bigint, 0))::bigint AS episodes,
    sum(coalesce((r.counts ->> 'add')::bigint, 0))::bigint AS learned,
    sum(coalesce((r.counts ->> 'update')::bigint, 0) + coalesce((r.counts ->> 'delete')::bigint, 0))::bigint AS changed
FROM runs r
JOIN packs p USING (pack)
WHERE
    r.tenant = %(tenant)s AND r.outcome = 'ok' AND r.finished >= %(since)s AND r.finished < %(until)s
    AND EXISTS (SELECT FROM canaries c WHERE c.pack = r.pack AND r.version IN (c.version, p.version))
GROUP BY r.pack, r.version, p.version
ORDER BY r.pack, r.version
