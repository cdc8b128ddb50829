-- The lag from a conversation's last episode to the end of the last run that read the conversation. One row covers the
-- latest conversations of the last hours or of a given period. If several packs read the same part of a conversation,
-- the slowest counts.
--
-- Served by runs_finished (finished) WHERE outcome = 'ok', episodes_pkey and episode_keys_scope_position_key.
WITH latest AS (
    SELECT run, scope, lo, hi, finished FROM runs
    WHERE
        tenant = %(tenant)s AND job = 'consolidate' AND outcome = 'ok'
        AND finished >= coalesce(%(since)s::timestamptz, (SELECT slowwave_now() - make_interval(hours => %(hours)s)))
        AND finished < coalesce(%(until)s::timestamptz, 'infinity')
    ORDER BY finished DESC
    LIMIT 500
), ended AS (
    SELECT max(lag) AS lag
    FROM (
        SELECT
            l.scope, e.session, max(e.position) AS last, extract(EPOCH FROM l.finished - max(e.received)) AS lag
        FROM latest l JOIN episodes e ON e.scope = l.scope AND e.position BETWEEN l.lo AND l.hi
        GROUP BY l.run, l.scope, l.finished, e.session
    ) AS parts
    GROUP BY scope, session, last
)
SELECT
    count(*) AS conversations,
    make_interval(secs => percentile_disc(0.5) WITHIN GROUP (ORDER BY lag)) AS median,
    make_interval(secs => max(lag)) AS longest,
    (
        SELECT coalesce(max(slowwave_now() - k.received), interval '0')
        FROM watermarks w
        JOIN packs p ON p.pack = w.pack AND p.active AND p.job = 'consolidate'
        JOIN scope_heads h ON h.scope = w.scope AND h.head > w.position
        JOIN episode_keys k ON k.scope = w.scope AND k.position = w.position + 1
        WHERE w.tenant = %(tenant)s
    ) AS unread
FROM ended;
