-- The traces in which a window's episodes were pushed, each once, in the order of first use.
--
-- Served by episodes_pkey.
SELECT metadata ->> 'traceparent' AS trace
FROM episodes
WHERE scope = %(scope)s AND position BETWEEN %(lo)s AND %(hi)s AND metadata ->> 'traceparent' IS NOT NULL
GROUP BY metadata ->> 'traceparent'
ORDER BY min(position)
LIMIT 32
