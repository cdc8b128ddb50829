-- The columns of the primary key of a table in order, each with its type.
--
-- Served by the system catalog.
SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
FROM pg_index AS i
CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number
WHERE i.indrelid = %(table)s::regclass AND i.indisprimary
ORDER BY k.place
