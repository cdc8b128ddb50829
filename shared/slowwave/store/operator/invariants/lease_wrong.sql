-- Unfinished runs whose lease has no holder, and leases that end later than any lease may.
--
-- Served by runs_one_running; one scan of scope_leases. An hour is longer than any lease, and shorter than the error of
-- a clock in a wrong time zone.
SELECT r.scope, 'run ' || r.run AS subject
FROM runs r
LEFT JOIN scope_leases l USING (scope)
WHERE r.finished IS NULL AND (l.until IS NULL OR l.fence < r.fence OR l.tenant <> r.tenant)
UNION ALL
SELECT l.scope, 'lease until ' || to_char(l.until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI"Z"')
FROM scope_leases l
WHERE l.until > slowwave_now() + interval '1 hour'
LIMIT %(most)s
