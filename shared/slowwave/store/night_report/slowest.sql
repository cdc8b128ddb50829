-- The runs of a night that took longest, each with the scope or the slice it worked on.
--
-- Served by runs_finished (finished) WHERE outcome = 'ok'.
SELECT
    r.run, h.tenant, h.user_id AS "user", h.agent, h.channel, p.slice, r.job, r.pack, r.version,
    r.settings ->> 'reader' AS reader, r.lo, r.hi, r.owner, r.started, r.finished, r.outcome, r.counts, r.error, r.task
FROM runs r LEFT JOIN scope_heads h USING (scope) LEFT JOIN slices p ON p.slice_id = r.scope
WHERE r.tenant = %(tenant)s AND r.outcome = 'ok' AND r.finished >= %(since)s AND r.finished < %(until)s
ORDER BY r.finished - r.started DESC, r.run DESC
LIMIT %(most)s
