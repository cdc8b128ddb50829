-- Beliefs of which two versions hold at one time, in the world and for us.
--
-- One scan of facts against itself by belief.
SELECT DISTINCT a.scope, 'belief ' || a.belief AS subject
FROM facts a
JOIN facts b ON b.belief = a.belief AND b.version > a.version AND b.valid && a.valid AND b.recorded && a.recorded
LIMIT %(most)s
