-- The open versions of these beliefs.
--
-- Served by beliefs_scope_digest_key, then facts_open.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense
FROM beliefs b
JOIN facts f ON f.scope = b.scope AND f.belief = b.belief AND upper_inf(f.recorded)
WHERE b.scope = %(scope)s AND b.digest = ANY(%(digests)s::bytea[])
