-- The time up to which each partitioned table has partitions. Later rows go into the default partition.
--
-- Reads only the catalogue.
SELECT parent AS name, max(hi) AS until
FROM slowwave_partitions()
GROUP BY parent
ORDER BY parent
