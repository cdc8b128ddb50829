-- The beliefs of a scope that were mentioned last, newest first.
--
-- Served by facts_open_recent, from its newest end.
SELECT
    version, fact, subject, predicate, object, single_valued, lower(valid) AS valid_from, upper(valid) AS valid_to,
    confidence, position, session, rule, form, text, tense, ended_by
FROM facts
WHERE scope = %(scope)s AND upper_inf(recorded) AND subject <> 'summary'
ORDER BY position DESC, version DESC
LIMIT %(most)s
