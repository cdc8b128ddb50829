-- Every belief of these scopes, open and closed, with the keys of its source episodes. Rows have no order.
--
-- Served by facts_open_recent, and by delta_sources_pkey.
SELECT
    h.tenant, h.user_id, h.agent, h.channel, f.subject, f.predicate, f.object, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, upper_inf(f.recorded) AS open, f.confidence, f.rule,
    (SELECT coalesce(array_agg(s.key ORDER BY s.key), '{}') FROM delta_sources s WHERE s.delta = f.fact) AS keys,
    f.form, f.text, f.tense
FROM facts f JOIN scope_heads h USING (scope)
WHERE f.scope = ANY(%(scopes)s::uuid[])
