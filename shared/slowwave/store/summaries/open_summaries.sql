-- The subjects of a scope's sessions whose model summary waits for a reply, or has new turns.
--
-- Served by model_summaries_open.
SELECT about FROM model_summaries
WHERE scope = %(scope)s AND session IS NOT NULL AND (waiting IS NOT NULL OR reached > covered)
ORDER BY about
