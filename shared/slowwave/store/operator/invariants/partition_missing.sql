-- Partitions of the next two days that are missing, and rows in default partitions.
--
-- Reads the catalogue and the default partitions, which should be empty.
SELECT NULL::uuid AS scope, 'partition ' || name AS subject FROM slowwave_missing_partitions(2)
UNION ALL
SELECT NULL, rows || ' rows of ' || parent FROM slowwave_rows_in_default_partitions() WHERE rows > 0
LIMIT %(most)s
