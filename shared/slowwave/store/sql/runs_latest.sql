-- The latest runs of a tenant, newest first, each with the scope it worked on.
--
-- Served by runs_pkey, backwards.
SELECT r.run, h.tenant, h.user_id AS "user", h.agent, h.channel, r.job, r.pack, r.lo, r.hi, r.owner, r.started,
    r.finished, r.outcome, r.counts, r.error
FROM runs r JOIN scope_heads h USING (scope)
WHERE r.tenant = %(tenant)s
ORDER BY r.run DESC
LIMIT %(most)s
