-- Row counts of the memory's tables, as the planner estimates them: exact after each ANALYZE, and free of cost.
--
-- Reads only the catalogue.
SELECT coalesce(parent.relname, c.relname) AS name, sum(greatest(c.reltuples, 0))::float8 AS number
FROM pg_class c
LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
LEFT JOIN pg_class parent ON parent.oid = i.inhparent
WHERE
    c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    AND coalesce(parent.relname, c.relname) = ANY(%(tables)s::text[])
GROUP BY coalesce(parent.relname, c.relname)
ORDER BY name
