-- Erasures that were asked for and did not remove everything, an hour after they were asked for.
--
-- Served by erasures_unfinished.
SELECT t.scope, 'erasure ' || e.erasure AS subject
FROM erasures AS e
JOIN erasure_targets AS t USING (erasure)
WHERE e.erased IS NULL AND t.done IS NULL AND e.asked < slowwave_now() - interval '1 hour'
LIMIT %(most)s
