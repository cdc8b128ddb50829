-- Inserts the installation's firings of windows, even without work; returns the new firings.
--
-- Served by firings_pkey: a window with a row does not fire again.
INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
SELECT %(schedule)s, %(system_scope)s, key, %(system_tenant)s, %(by)s
FROM unnest(%(keys)s::text[]) AS key
ORDER BY key
ON CONFLICT DO NOTHING
RETURNING at_window
