-- The windows of a job that are due in one scope, if no other worker has a run of the scope's tenant. Retries, partial
-- windows, and packs that wait for a model are left out.
--
-- Served by intents_one_pending, intents_one_running, watermarks_pkey and scope_heads_pkey.
SELECT i.scope, i.pack, w.planned + 1 AS lo, least(h.head, w.planned + %(largest)s) AS hi
FROM intents AS i
JOIN packs AS p ON p.pack = i.pack AND p.active AND p.job = i.job
JOIN watermarks AS w ON w.scope = i.scope AND w.pack = i.pack
JOIN scope_heads AS h ON h.scope = i.scope
WHERE
    i.scope = %(scope)s AND i.job = %(job)s AND i.state = 'pending' AND i.due <= (SELECT slowwave_now())
    AND i.chosen IS NULL AND i.upto IS NULL
    AND least(h.head, w.planned + %(largest)s) - w.planned >= %(least)s
    AND NOT EXISTS (SELECT FROM intents AS o WHERE o.state = 'running' AND o.scope <> %(scope)s)
ORDER BY i.due, i.intent
