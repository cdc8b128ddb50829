-- The tense of each of these facts: as it was said, and past where it is over at an instant.
--
-- A version of each: the one that is believed now. Served by facts_of_delta.
SELECT
    f.fact,
    CASE WHEN upper(f.valid) <= coalesce(%(at)s::timestamptz, slowwave_now()) THEN 'past' ELSE f.tense END AS tense
FROM unnest(%(scopes)s::uuid[], %(facts)s::uuid[]) AS asked (scope, fact)
JOIN facts AS f ON f.scope = asked.scope AND f.fact = asked.fact AND upper_inf(f.recorded)
