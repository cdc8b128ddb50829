-- The time before which nothing will be recorded in the tenant any more: *now*, or the time in the lock of the oldest
-- transaction that may still record, see beliefs/set_recorded. The next statement sees everything recorded earlier.
--
-- A lock has 31 bits of milliseconds, which is a range of 24 days. The time of the lock is completed by *now*, and may
-- be up to 12 days back. Transactions that began after *now* are ignored.
--
-- Served by no index: a server's locks are in its memory.
WITH asked AS (
    SELECT
        %(now)s::timestamptz AS moment,
        floor(extract(EPOCH FROM %(now)s::timestamptz) * 1000)::bigint AS milliseconds,
        (hashtext(%(lock)s || slowwave_tenant())::bigint & 4294967295)::oid AS kind,
        (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()) AS here
),
told AS (
    SELECT (a.milliseconds - l.objid::bigint) & 2147483647 AS age
    FROM pg_locks l, asked a
    WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.database = a.here AND l.classid = a.kind
)
SELECT
    a.moment - make_interval(
        secs => coalesce((SELECT max(t.age) + 1 FROM told t WHERE t.age < 1073741824), 0) / 1000.0
    ) AS horizon
FROM asked a
