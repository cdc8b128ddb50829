-- The months of episodes that are over, oldest first, from the catalogue.
--
-- Reads only the catalogue.
SELECT parent, name, lo, hi
FROM slowwave_partitions()
WHERE parent = 'episodes' AND hi <= slowwave_now()
ORDER BY lo
