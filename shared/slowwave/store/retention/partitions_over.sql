-- The months of episodes that are over, oldest first.
--
-- Reads the catalogue alone.
SELECT parent, name, lo, hi
FROM slowwave_partitions()
WHERE parent = 'episodes' AND hi <= slowwave_now()
ORDER BY lo
