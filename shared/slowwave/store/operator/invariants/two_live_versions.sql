-- Beliefs with two versions that overlap in both valid and recorded time.
--
-- One scan of facts against itself by belief.
SELECT DISTINCT a.scope, 'belief ' || a.belief AS subject
FROM facts a
JOIN facts b ON b.belief = a.belief AND b.version > a.version AND b.valid && a.valid AND b.recorded && a.recorded
LIMIT %(most)s
