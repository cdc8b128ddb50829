-- The tense of each of these facts: the stated tense, or past if the fact's valid time is over at a given time.
--
-- One version of each: the one believed now. Served by facts_of_delta.
SELECT
    f.fact,
    CASE WHEN upper(f.valid) <= coalesce(%(at)s::timestamptz, slowwave_now()) THEN 'past' ELSE f.tense END AS tense
FROM unnest(%(scopes)s::uuid[], %(facts)s::uuid[]) AS asked (scope, fact)
JOIN facts AS f ON f.scope = asked.scope AND f.fact = asked.fact AND upper_inf(f.recorded)
