-- Up to when each partitioned table has partitions: beyond that, rows fall into the default one.
--
-- Reads the catalogue alone.
SELECT parent.relname AS name,
    max(substring(pg_get_expr(child.relpartbound, child.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz) AS until
FROM pg_inherits JOIN pg_class parent ON parent.oid = inhparent JOIN pg_class child ON child.oid = inhrelid
WHERE parent.relkind = 'p' AND parent.relnamespace = 'public'::regnamespace AND child.relpartbound IS NOT NULL
GROUP BY parent.relname
ORDER BY parent.relname
