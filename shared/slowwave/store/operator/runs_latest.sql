-- The latest runs of a tenant and of the installation, newest first, each with the scope or the slice it worked on.
--
-- Optional filters: one scope or slice, one Celery task, and runs before a given one for paging. Served
-- by runs_pkey, backwards, runs_of_scope and runs_of_task; acts as dispatch.
SELECT
    r.run, h.tenant, h.user_id AS "user", h.agent, h.channel, p.slice, r.job, r.pack, r.version,
    r.settings ->> 'reader' AS reader, r.lo, r.hi, r.owner, r.started, r.finished, r.outcome, r.counts, r.error, r.task
FROM runs r LEFT JOIN scope_heads h USING (scope) LEFT JOIN slices p ON p.slice_id = r.scope
WHERE
    r.tenant IN (%(tenant)s, '_system')
    AND (%(task)s::text IS NULL OR r.task = %(task)s)
    AND (%(scope)s::uuid IS NULL OR r.scope = %(scope)s)
    AND r.run < coalesce(%(before)s::bigint, 9223372036854775807)
ORDER BY r.run DESC
LIMIT %(most)s
