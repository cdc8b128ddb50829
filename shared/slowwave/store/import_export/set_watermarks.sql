-- Sets the position up to which each pack has read a scope. A pack whose plan waits for a model plans again.
--
-- Guarded by watermarks_pkey.
INSERT INTO watermarks AS w (scope, pack, tenant, position, suspect, planned)
SELECT %(scope)s, pack, slowwave_tenant(), position, suspect, position
FROM jsonb_to_recordset(%(rows)s::jsonb) AS passed (pack text, position bigint, suspect bigint)
ON CONFLICT (scope, pack) DO UPDATE
    SET position = excluded.position, suspect = excluded.suspect, planned = excluded.planned
