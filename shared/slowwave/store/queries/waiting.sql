-- The number of episodes of some scopes that wait for a pack, and the due time of their next consolidation if known.
--
-- Served by scope_heads_pkey, watermarks_pkey and intents_one_pending.
SELECT
    coalesce(sum(late), 0)::bigint AS episodes,
    min(due) AS due
FROM (
    SELECT
        max(h.head - w.position) AS late,
        min(i.due) FILTER (WHERE i.due < 'infinity') AS due
    FROM scope_heads AS h
    JOIN watermarks AS w ON w.scope = h.scope
    JOIN packs AS p ON p.pack = w.pack
    LEFT JOIN intents AS i ON i.scope = w.scope AND i.job = p.job AND i.pack = p.pack AND i.state = 'pending'
    WHERE h.scope = ANY(%(scopes)s) AND p.active AND p.job = ANY(%(jobs)s) AND w.position < h.head
    GROUP BY h.scope
) AS late_scopes
