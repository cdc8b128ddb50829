-- The open versions of these beliefs that are valid after the time given for each.
--
-- Served by beliefs_scope_digest_key, then facts_open.
SELECT
    f.version, f.fact, f.subject, f.predicate, f.object, f.single_valued, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, f.confidence, f.position, f.session, f.rule,
    f.form, f.text, f.tense, f.ended_by
FROM unnest(%(digests)s::bytea[], %(since)s::timestamptz[]) AS wanted (digest, since)
JOIN beliefs b ON b.scope = %(scope)s AND b.digest = wanted.digest
JOIN facts f ON f.scope = b.scope AND f.belief = b.belief AND upper_inf(f.recorded)
WHERE upper_inf(f.valid) OR upper(f.valid) > wanted.since
