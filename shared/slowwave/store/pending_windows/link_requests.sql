-- Links requests to the present plan of a window.
--
-- Served by model_windows_pkey.
INSERT INTO model_chunks (model_window, plan, request, tenant)
SELECT w.model_window, w.plan, r, w.tenant
FROM model_windows w
CROSS JOIN unnest(%(requests)s::text[]) AS r
WHERE w.model_window = %(model_window)s
ON CONFLICT DO NOTHING
