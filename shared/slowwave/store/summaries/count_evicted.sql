-- The number of turns evicted from working memory because of a summary up to these positions of a scope.
--
-- Served by firings_pkey: the evictions of the scope are read.
SELECT coalesce(sum(substring(f.at_window FROM '^\d+/(\d+)$')::bigint), 0)::bigint AS turns
FROM firings AS f
WHERE
    f.schedule = %(schedule)s AND f.scope = %(scope)s
    AND substring(f.at_window FROM '^(\d+)/\d+$')::bigint BETWEEN %(lo)s AND %(hi)s
