-- Writes the installation's rows of windows that fired, whether or not there is work; returns those that are new.
--
-- Served by firings_pkey: where a row is there already, nothing fires.
INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
SELECT %(schedule)s, %(system_scope)s, key, %(system_tenant)s, %(by)s
FROM unnest(%(keys)s::text[]) AS key
ORDER BY key
ON CONFLICT DO NOTHING
RETURNING at_window
