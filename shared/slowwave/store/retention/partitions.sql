-- Up to when each partitioned table has partitions: beyond that, rows fall into the default one.
--
-- Reads the catalogue alone.
SELECT parent AS name, max(hi) AS until
FROM slowwave_partitions()
GROUP BY parent
ORDER BY parent
