-- The status of a tenant in one row: its memory, pending and running work, and dead letters. The statement is for
-- people, and no job runs it.
--
-- Work that starts only when a schedule fires next is not counted as pending. Heads, watermarks, intents and dead
-- letters are small rows; facts and deltas are counted through their scopes' indexes, unread turns through
-- unread_turns_received.
SELECT
    (SELECT count(*) FROM scope_heads WHERE tenant = %(tenant)s AND head > 0) AS scopes,
    (SELECT coalesce(sum(head), 0)::bigint FROM scope_heads WHERE tenant = %(tenant)s) AS episodes,
    (SELECT coalesce(sum(late), 0)::bigint FROM (
        SELECT max(h.head - w.position) AS late
        FROM scope_heads h JOIN watermarks w USING (scope) JOIN packs p USING (pack)
        WHERE p.active AND p.job = ANY(%(pushed)s) AND h.tenant = %(tenant)s
        GROUP BY h.scope
    ) AS slowest) AS unread_episodes,
    (
        SELECT count(*) FROM facts
        WHERE tenant = %(tenant)s AND upper_inf(recorded) AND valid @> slowwave_now()
    ) AS facts,
    (SELECT coalesce(jsonb_object_agg(kind, number), '{}') FROM (
        SELECT kind, count(*) AS number FROM deltas WHERE tenant = %(tenant)s GROUP BY kind
    ) AS kinds) AS deltas,
    (
        SELECT count(*) FROM intents
        WHERE tenant = %(tenant)s AND state = 'pending' AND due < 'infinity'
    ) AS waiting,
    (SELECT count(*) FROM intents WHERE tenant = %(tenant)s AND state = 'running') AS running,
    (
        SELECT coalesce(greatest(slowwave_now() - min(due), interval '0'), interval '0')
        FROM intents WHERE tenant = %(tenant)s AND due < 'infinity'
    ) AS lag,
    (SELECT coalesce(jsonb_object_agg(category, number), '{}') FROM (
        SELECT category, count(*) AS number FROM dead_letters
        WHERE tenant = %(tenant)s AND state = 'open' GROUP BY category
    ) AS open) AS dead_letters,
    (SELECT max(seen) FROM processes WHERE role = 'scheduler') AS ticked,
    (SELECT coalesce(jsonb_object_agg(language, number), '{}') FROM (
        SELECT language, count(*) AS number FROM unread_turns
        WHERE tenant = %(tenant)s AND received > (SELECT slowwave_now() - interval '1 day') GROUP BY language
    ) AS languages) AS unread
