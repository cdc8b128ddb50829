-- The moment before which nothing will be recorded any more in the tenant: *now*, or when the oldest transaction that
-- may still record told so by its lock, see beliefs/set_recorded. Whatever is recorded earlier is there for who looks
-- next.
--
-- A lock has room for 31 bits of milliseconds, which is 24 days: *now* says of which, up to 12 days ago, and one that
-- began after *now* holds nothing back.
--
-- Served by no index: the locks of a server lie in its memory.
WITH asked AS (
    SELECT
        %(now)s::timestamptz AS moment,
        floor(extract(EPOCH FROM %(now)s::timestamptz) * 1000)::bigint AS milliseconds,
        (hashtext(%(whose)s || slowwave_tenant())::bigint & 4294967295)::oid AS kind,
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
