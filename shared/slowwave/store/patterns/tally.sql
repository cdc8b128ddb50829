-- Adds a run's counts to the records of strategies; a new strategy gets the given description.
--
-- Served by strategies_pkey.
INSERT INTO strategies AS s (
    scope, strategy, tenant, task, description, context_pattern, tools, successes, failures, created, last_used, fact
)
SELECT
    %(scope)s, strategy, slowwave_tenant(), task, description, context_pattern,
    ARRAY(SELECT tool FROM jsonb_array_elements_text(tools) WITH ORDINALITY AS t (tool, ordinal) ORDER BY ordinal),
    successes, failures, first, last, fact
FROM
    unnest(
        %(strategies)s::uuid[], %(tasks)s::text[], %(descriptions)s::text[], %(contexts)s::text[], %(tools)s::jsonb[],
        %(successes)s::integer[], %(failures)s::integer[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[],
        %(facts)s::uuid[]
    ) AS new (strategy, task, description, context_pattern, tools, successes, failures, first, last, fact)
ORDER BY strategy
ON CONFLICT (scope, strategy) DO UPDATE
    SET
        successes = s.successes + excluded.successes,
        failures = s.failures + excluded.failures,
        created = least(s.created, excluded.created),
        last_used = greatest(s.last_used, excluded.last_used),
        fact = excluded.fact
