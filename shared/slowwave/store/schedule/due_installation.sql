-- The single slice of an installation job. Reads no table.
SELECT slowwave_slice_id(%(system_tenant)s, %(job)s, 0) AS scope, %(system_tenant)s::text AS tenant, 0 AS slice
