-- Fires the maximum age of an intent that a worker claimed before a scheduler saw it was due.
--
-- Guarded by firings_pkey.
INSERT INTO firings (schedule, scope, at_window, tenant, fired_by)
SELECT s.schedule, %(scope)s, %(lo)s::text, %(tenant)s, %(owner)s
FROM schedules s
WHERE s.pack = %(pack)s AND s.job = %(job)s AND s.kind = 'age'
ON CONFLICT DO NOTHING
