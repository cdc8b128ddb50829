-- Makes a request pending again later. The failure counts only if another request was answered in between.
--
-- Served by model_requests_pkey. *what* is unreadable, failed, vanished, or crowded, which never counts.
UPDATE model_requests
SET
    state = 'pending',
    unreadable = unreadable + (%(seen)s AND %(what)s = 'unreadable')::integer,
    failed = failed + (%(seen)s AND %(what)s = 'failed')::integer,
    vanished = vanished + (%(seen)s AND %(what)s = 'vanished')::integer,
    unwitnessed = CASE
        WHEN %(seen)s THEN 0
        WHEN %(what)s = 'crowded' THEN unwitnessed
        ELSE unwitnessed + 1
    END,
    last = %(what)s,
    not_before
    = slowwave_now()
    + make_interval(secs => least(%(wait)s::double precision, %(longest)s::double precision) * (1 + 0.25 * random()))
WHERE request = %(request)s
RETURNING unreadable, failed, vanished, cardinality(positions) AS turns
