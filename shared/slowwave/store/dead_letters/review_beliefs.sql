-- The texts of facts as they were last recorded; erased ones are left out.
--
-- Served by facts_of_delta.
SELECT DISTINCT ON (f.fact) f.fact, f.text
FROM facts f
WHERE f.fact = ANY(%(facts)s::uuid[]) AND f.predicate <> '_erased'
ORDER BY f.fact, lower(f.recorded) DESC, f.version DESC
