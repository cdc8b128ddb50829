-- The text and the scope of a fact, whether the fact is believed, and the end of its valid time if there is an end.
--
-- Served by facts_of_delta and scope_heads_pkey.
SELECT
    f.text, f.form, f.tense, bool_or(upper_inf(f.recorded)) AS held,
    CASE
        WHEN NOT bool_or(upper_inf(f.recorded) AND upper_inf(f.valid))
            THEN max(upper(f.valid)) FILTER (WHERE upper_inf(f.recorded))
    END AS until,
    h.tenant, h.user_id, h.agent, h.channel
FROM facts f JOIN scope_heads h USING (scope)
WHERE f.fact = %(fact)s
GROUP BY f.text, f.form, f.tense, h.tenant, h.user_id, h.agent, h.channel
